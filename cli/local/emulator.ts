import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../output/cli-error.ts';
import { forgetRecord } from './deployment-record.ts';
import { installMinistack } from './ministack.ts';
import { commandOf, stopGroup } from './processes.ts';
import { forgetEmulator, readEmulatorRecord, rememberEmulator, runningEmulator } from './running-emulator.ts';

export interface Emulator {
  readonly endpointUrl: string;
  readonly pid: number;
  /** Ends the emulator and every function worker it started, and waits until they are gone. */
  stop(): Promise<void>;
}

export interface EmulatorOptions {
  readonly port: number;
  /** Log and pid file; one directory serves one emulator at a time. */
  readonly stateDirectory: string;
  readonly onOutput?: (line: string) => void;
  /** Saves what it holds when it is stopped in order, so that `restartEmulator` finds it again. */
  readonly keepsState?: boolean;
  /** Functions may do what their roles grant and nothing else; whoever signs as `test`, or not at all, may do everything. */
  readonly enforcesIam?: boolean;
}

const READY_WITHIN_MS = 60_000;
/** An emulator that is killed while it saves has lost everything. */
const SAVED_WITHIN_MS = 30_000;
const WORK_DIRECTORY_PREFIX = 'andal-emulator-';

/** Installs the pinned MiniStack if need be and starts it on the loopback interface. It outlives this process until `stop`. */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { port, stateDirectory, onOutput, keepsState = false, enforcesIam = false } = options;
  const state = resolve(stateDirectory);
  mkdirSync(state, { recursive: true });
  await assertPortIsFree(port);
  const program = await installMinistack(onOutput);
  removeLeftovers(state);
  rmSync(logFileIn(state), { force: true });
  // Away from the repository: below it, function workers would find its package.json and its node_modules.
  const workDirectory = mkdtempSync(join(tmpdir(), WORK_DIRECTORY_PREFIX));
  if (keepsState) mkdirSync(savedStateIn(workDirectory));
  return launch(program, { port, state, workDirectory, enforcesIam });
}

/**
 * Stops the emulator of this directory, with every function worker, and starts it again with what it held.
 *
 * Does not protect against what it does not save: stream records nobody has read yet are gone, as they never are on AWS.
 */
export async function restartEmulator(stateDirectory: string): Promise<Emulator> {
  const state = resolve(stateDirectory);
  const running = runningEmulator(state);
  if (running === undefined) throw new CliError('No emulator runs that was started from here: there is nothing to start again.');
  const { pid, port, workDirectory, enforcesIam } = running;
  if (!existsSync(savedStateIn(workDirectory)))
    throw new CliError('This emulator does not keep its state: a restart would lose all of it.');
  await stopGroup(pid, { graceMs: SAVED_WITHIN_MS });
  return launch(await installMinistack(), { port, state, workDirectory, enforcesIam });
}

interface Launch {
  readonly port: number;
  readonly state: string;
  readonly workDirectory: string;
  readonly enforcesIam: boolean;
}

async function launch(program: string, { port, state, workDirectory, enforcesIam }: Launch): Promise<Emulator> {
  const logFile = logFileIn(state);
  const log = openSync(logFile, 'a');
  const child = spawn(program, [], {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...emulatorEnvironment(port, workDirectory), ...savedStateEnvironment(workDirectory), AUTH: String(enforcesIam) },
    cwd: state,
  });
  const pid = await new Promise<number>((started, failed) => {
    child.once('spawn', () => started(child.pid as number));
    child.once('error', failed);
  });
  child.unref();
  const endpointUrl = `http://127.0.0.1:${port}`;
  rememberEmulator(state, { pid, port, endpointUrl, workDirectory, enforcesIam });
  const stop = () => stopEmulator(pid, state);
  await waitUntilReady(endpointUrl, pid, logFile).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { endpointUrl, pid, stop };
}

const logFileIn = (state: string): string => join(state, 'emulator.log');
const savedStateIn = (workDirectory: string): string => join(workDirectory, 'saved-state');

function savedStateEnvironment(workDirectory: string): NodeJS.ProcessEnv {
  const directory = savedStateIn(workDirectory);
  if (!existsSync(directory)) return {};
  return { PERSIST_STATE: '1', STATE_DIR: directory, S3_PERSIST: '1', S3_DATA_DIR: join(directory, 's3') };
}

/** Ends the process group, removes what it left behind and forgets the pid file. */
export async function stopEmulator(pid: number, stateDirectory: string): Promise<void> {
  await stopGroup(pid);
  if (readEmulatorRecord(stateDirectory)?.pid === pid) removeLeftovers(stateDirectory);
}

/** What an emulator that has ended leaves behind: its work directory, its pid file and the record of what was deployed to it. */
export function removeLeftovers(stateDirectory: string): void {
  const record = readEmulatorRecord(stateDirectory);
  if (record === undefined) return;
  if (basename(record.workDirectory).startsWith(WORK_DIRECTORY_PREFIX)) rmSync(record.workDirectory, { recursive: true, force: true });
  forgetRecord(stateDirectory, record.endpointUrl);
  forgetEmulator(stateDirectory);
}

/**
 * Function workers inherit the emulator's environment, so it gets a clean one: a foreign endpoint, profile or proxy in
 * this shell would otherwise reach every function. Node comes first on the PATH because workers run whatever `node` is there.
 */
export function emulatorEnvironment(port: number, workDirectory: string, from: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return {
    PATH: [dirname(process.execPath), from['PATH'] ?? ''].join(delimiter),
    HOME: from['HOME'],
    LANG: from['LANG'] ?? 'C.UTF-8',
    TMPDIR: workDirectory,
    GATEWAY_PORT: String(port),
    BIND_HOST: '127.0.0.1',
    MINISTACK_HOST: '127.0.0.1',
    LAMBDA_EXECUTOR: 'local',
    IOT_MTLS_ENABLED: '0',
    SFTP_ENABLED: '0',
    LOG_LEVEL: 'WARNING',
  };
}

async function waitUntilReady(endpointUrl: string, pid: number, logFile: string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline) {
    if (await answersOk(`${endpointUrl}/_ministack/ready`)) return;
    if (commandOf(pid) === undefined) break;
    await sleep(50);
  }
  const lastLines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join('\n');
  throw new CliError(`MiniStack did not start within ${READY_WITHIN_MS / 1000} s. Its log is ${logFile} and ends with:\n${lastLines}`);
}

/** Whether an HTTP GET is answered with a success. */
export async function answersOk(url: string, timeoutMs = 1_000): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })).ok;
  } catch {
    return false;
  }
}

async function assertPortIsFree(port: number): Promise<void> {
  const isBusy = await new Promise<boolean>((settle) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
    socket.once('connect', () => socket.destroy());
  });
  if (!isBusy) return;
  const isEmulator = await answersOk(`http://127.0.0.1:${port}/_localstack/health`);
  throw new CliError(
    isEmulator
      ? `Port ${port} is taken by an emulator that was not started here. Use it with AWS_ENDPOINT_URL=http://127.0.0.1:${port}, or start another one with --port ${port + 1}.`
      : `Port ${port} is taken by another program. End that program, or choose another port with --port ${port + 1}.`,
  );
}
