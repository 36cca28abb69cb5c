import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Emulator, startEmulator, stopEmulator } from '../cli/local/emulator.ts';
import { runningEmulator } from '../cli/local/running-emulator.ts';

/** Apart from `.local`, so that tests leave alone what `npm start` runs. */
export const TEST_STATE_DIRECTORY = join('.local', 'test');
/** ANDAL_EMULATOR_AUTH=true holds every function to the rights of its role. */
const enforcesIam = process.env['ANDAL_EMULATOR_AUTH'] === 'true';
const ownerFile = join(TEST_STATE_DIRECTORY, 'owner.pid');

/**
 * Starts the emulator of one integration run on a free port. It ends with `stop`, or with this process.
 *
 * Does not protect against this process being killed outright; stopAbandonedEmulator makes up for that.
 *
 * @throws Error when another integration run of this directory is alive
 */
export async function startTestEmulator(): Promise<Pick<Emulator, 'endpointUrl' | 'stop'>> {
  await stopAbandonedEmulator();
  if (runningEmulator(TEST_STATE_DIRECTORY) !== undefined) {
    throw new Error('integration tests are already running in this directory; wait for them or stop them first');
  }
  const started = await startEmulator({ port: await freePort(), stateDirectory: TEST_STATE_DIRECTORY, keepsState: true, enforcesIam });
  writeFileSync(ownerFile, String(process.pid));
  // A test may have restarted it: another process then, remembered in the same place.
  const pidNow = (): number => runningEmulator(TEST_STATE_DIRECTORY)?.pid ?? started.pid;
  const killOnExit = (): void => killGroup(pidNow());
  process.once('exit', killOnExit);
  return {
    endpointUrl: started.endpointUrl,
    stop: async () => {
      process.off('exit', killOnExit);
      await stopEmulator(pidNow(), TEST_STATE_DIRECTORY);
      rmSync(ownerFile, { force: true });
    },
  };
}

/** Ends an emulator whose run is gone; one whose run is alive is left alone. */
export async function stopAbandonedEmulator(): Promise<void> {
  const emulator = runningEmulator(TEST_STATE_DIRECTORY);
  if (emulator !== undefined && !isAlive(ownerPid())) await stopEmulator(emulator.pid, TEST_STATE_DIRECTORY);
}

function ownerPid(): number | undefined {
  try {
    return Number.parseInt(readFileSync(ownerFile, 'utf8'), 10);
  } catch {
    return undefined;
  }
}

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port was found on the loopback interface');
  return address.port;
}
