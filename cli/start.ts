import { Command } from 'commander';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { createClients } from './aws/clients.ts';
import { DEFAULT_REGION, LOCAL_STAGE } from './aws/target.ts';
import { demo } from './commands/demo.ts';
import { describeEmulator, parsePort } from './commands/up.ts';
import { deployLocal, type StackOutputs } from './local/deploy.ts';
import { watchForInterruption } from './local/interruption.ts';
import { type ObtainedEmulator, obtainEmulator } from './local/obtain-emulator.ts';
import { printNote } from './output/print.ts';
import { runSteps, step } from './output/steps.ts';
import { runProgram } from './run-program.ts';
import { sessionOf } from './session.ts';

interface StartOptions {
  readonly exit?: boolean;
  readonly port?: number;
}

const program = new Command('npm start --')
  .description('Start everything locally, deploy, and show that it works. Stays up until Ctrl-C.')
  .option('--exit', 'end after the demo, with its verdict as exit code')
  .option('--port <number>', 'port of the emulator (default: 4566)', parsePort)
  .addHelpText(
    'after',
    '\nAn emulator that answers at AWS_ENDPOINT_URL is used and left running.\n\nExamples:\n  npm start\n  npm start -- --exit',
  )
  .action(start);

async function start({ exit = false, port }: StartOptions): Promise<void> {
  let emulator: ObtainedEmulator | undefined;
  const stop = async (): Promise<void> => emulator?.stop();
  const interruption = watchForInterruption(stop);
  try {
    let outputs: StackOutputs = {};
    await runSteps(
      [
        step('Emulator (the first start installs it)', async (onOutput) => {
          emulator = await obtainEmulator({ port, onOutput });
          return describeEmulator(emulator);
        }),
        step('Deployment', async (onOutput) => {
          outputs = await deployLocal({ endpointUrl: emulator?.endpointUrl ?? '', onOutput });
          return 'Deployed stage local';
        }),
      ],
      { json: false },
    );
    process.exitCode = await showDemo(emulator?.endpointUrl ?? '', outputs);
    if (exit) return;
    sayHowToGoOn(outputs, emulator?.origin === 'started');
    await interruption.asOrderlyEnd();
  } finally {
    await stop();
  }
}

async function showDemo(endpointUrl: string, outputs: StackOutputs): Promise<number> {
  const target = { stage: LOCAL_STAGE, region: DEFAULT_REGION, endpointUrl, profile: undefined };
  const clients = createClients(target);
  try {
    return await demo(sessionOf(target, clients, outputs, false));
  } finally {
    clients.close();
  }
}

function sayHowToGoOn(outputs: StackOutputs, stops: boolean): void {
  printNote(`\nUp. Orders are taken at ${outputs[STACK_OUTPUTS.orderApiUrl]}`);
  printNote('In another terminal: npm run andal -- status   ·   orders create u-1   ·   demo --orders 1000');
  printNote(stops ? 'Ctrl-C stops everything.' : 'Ctrl-C ends this; the emulator was running before and stays.');
}

await runProgram(program);
