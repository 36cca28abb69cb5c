import { createClients } from '../aws/clients.ts';
import { describeStack } from '../aws/stacks.ts';
import { DEFAULT_REGION, defaultStateDirectory, givenEndpoint, LOCAL_STAGE } from '../aws/target.ts';
import { CliError, EXIT } from '../output/cli-error.ts';
import { answersOk, startEmulator } from './emulator.ts';
import { runningEmulator } from './running-emulator.ts';

export const DEFAULT_PORT = 4566;

export interface ObtainedEmulator {
  readonly endpointUrl: string;
  /** `given`: answers at AWS_ENDPOINT_URL; `running`: started from here earlier; `started`: started by this call. */
  readonly origin: 'given' | 'running' | 'started';
  /** Stops what this call started; anything else is left alone. */
  stop(): Promise<void>;
}

export interface ObtainOptions {
  /** Port of an emulator that has to be started; a running one elsewhere is a conflict only when a port was asked for. */
  readonly port?: number | undefined;
  readonly stateDirectory?: string;
  readonly onOutput?: (line: string) => void;
}

/** An emulator to deploy to: the one at AWS_ENDPOINT_URL if it answers, else the own one if it runs, else a new one. */
export async function obtainEmulator({ port, stateDirectory = defaultStateDirectory, onOutput }: ObtainOptions): Promise<ObtainedEmulator> {
  const given = givenEndpoint();
  if (given !== undefined) {
    refuseAws(given);
    if (await actsLikeAws(given)) return { endpointUrl: given, origin: 'given', stop: nothingToStop };
    onOutput?.(`nothing answers at AWS_ENDPOINT_URL=${given}; using an own emulator instead`);
  }
  const running = runningEmulator(stateDirectory);
  if (running !== undefined && (await answersOk(`${running.endpointUrl}/_ministack/ready`))) {
    if (port === undefined || port === running.port) return { endpointUrl: running.endpointUrl, origin: 'running', stop: nothingToStop };
    throw new CliError(
      `The local emulator already runs on port ${running.port}. Leave out --port to use it, or stop it with \`npm run andal -- down\` first.`,
    );
  }
  const started = await startEmulator({ port: port ?? DEFAULT_PORT, stateDirectory, ...(onOutput === undefined ? {} : { onOutput }) });
  return { endpointUrl: started.endpointUrl, origin: 'started', stop: started.stop };
}

const nothingToStop = async (): Promise<void> => {};

/** Test credentials and made-up orders have no business in an account. */
function refuseAws(endpointUrl: string): void {
  if (!new URL(endpointUrl).hostname.endsWith('.amazonaws.com')) return;
  throw new CliError(
    'AWS_ENDPOINT_URL points to AWS itself. The local run needs an emulator: unset it, or deploy to AWS with `npm run andal -- deploy --stage test`.',
    {
      exitCode: EXIT.usage,
    },
  );
}

async function actsLikeAws(endpointUrl: string): Promise<boolean> {
  const clients = createClients({ stage: LOCAL_STAGE, region: DEFAULT_REGION, endpointUrl, profile: undefined });
  try {
    await describeStack(clients.cloudFormation, 'CDKToolkit');
    return true;
  } catch {
    return false;
  } finally {
    clients.close();
  }
}
