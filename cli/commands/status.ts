import type { Command } from 'commander';
import { formatStatus } from '../explain/format-status.ts';
import { readStatus } from '../explain/status.ts';
import { printAnswer } from '../output/print.ts';
import { globalOptions, withSession } from '../session.ts';

export function register(program: Command): void {
  program
    .command('status')
    .description('queues, dead-letter queues, orders by state, what is held back, and what needs a look')
    .addHelpText('after', '\nExamples:\n  npm run andal -- status\n  npm run andal -- status --json --stage test --profile my-team')
    .action(async (_options: unknown, command: Command) =>
      withSession(globalOptions(command), async (session) => {
        const status = await readStatus(session);
        printAnswer(session.json, status, () => formatStatus(status));
      }),
    );
}
