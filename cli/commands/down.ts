import type { Command } from 'commander';
import { defaultStateDirectory } from '../aws/target.ts';
import { stopEmulator } from '../local/emulator.ts';
import { runningEmulator } from '../local/running-emulator.ts';
import { printAnswer } from '../output/print.ts';
import { globalOptions } from '../session.ts';

export function register(program: Command): void {
  program
    .command('down')
    .description('stop the emulator that `up` started; its data is gone with it')
    .addHelpText('after', '\nAn emulator at AWS_ENDPOINT_URL is yours and is left alone.\n\nExample:\n  npm run andal -- down')
    .action(async (_options: unknown, command: Command) => {
      const running = runningEmulator(defaultStateDirectory);
      if (running !== undefined) await stopEmulator(running.pid, defaultStateDirectory);
      printAnswer(globalOptions(command).json ?? false, { stopped: running ?? null }, () =>
        running === undefined ? 'No local emulator is running; nothing to stop.' : `Stopped the emulator on port ${running.port}.`,
      );
    });
}
