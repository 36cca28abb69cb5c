import type { Command } from 'commander';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { deployLocal } from '../local/deploy.ts';
import { type ObtainedEmulator, obtainEmulator } from '../local/obtain-emulator.ts';
import { printAnswer } from '../output/print.ts';
import { runSteps, step } from '../output/steps.ts';
import { globalOptions } from '../session.ts';
import { wholeNumber } from './whole-number.ts';

export function register(program: Command): void {
  program
    .command('up')
    .description('start the local emulator (it keeps running) and deploy to it')
    .option('--port <number>', 'port of the emulator (default: 4566)', parsePort)
    .addHelpText(
      'after',
      '\nExamples:\n  npm run andal -- up\n  npm run andal -- up --port 4570\n  AWS_ENDPOINT_URL=http://127.0.0.1:4566 npm run andal -- up   # use an emulator of your own',
    )
    .action(async (options: { port?: number }, command: Command) => up(options, globalOptions(command).json ?? false));
}

async function up({ port }: { port?: number }, json: boolean): Promise<void> {
  const started = Date.now();
  let emulator: ObtainedEmulator | undefined;
  let orderApiUrl = '';
  await runSteps(
    [
      step('Emulator', async (onOutput) => {
        emulator = await obtainEmulator({ port, onOutput });
        return describeEmulator(emulator);
      }),
      step('Deployment', async (onOutput) => {
        const outputs = await deployLocal({ endpointUrl: emulator?.endpointUrl ?? '', onOutput });
        orderApiUrl = outputs[STACK_OUTPUTS.orderApiUrl] ?? '';
        return 'Deployed stage local';
      }),
    ],
    { json },
  );
  const answer = { endpointUrl: emulator?.endpointUrl, origin: emulator?.origin, orderApiUrl, durationMs: Date.now() - started };
  printAnswer(json, answer, () => `\nUp. Orders are taken at ${orderApiUrl}\nNext: npm run andal -- demo   ·   status   ·   down`);
}

const ORIGINS = {
  given: 'Using the emulator at AWS_ENDPOINT_URL,',
  running: 'Using the running emulator,',
  started: 'Started MiniStack,',
} as const;

export const describeEmulator = ({ origin, endpointUrl }: ObtainedEmulator): string => `${ORIGINS[origin]} ${endpointUrl}`;

export const parsePort = wholeNumber('A port is a whole number from 1024 to 65535, in plain digits.', { min: 1024, max: 65_535 });
