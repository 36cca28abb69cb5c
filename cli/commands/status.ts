import { type Command, Option } from 'commander';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { scanOrders } from '../aws/items.ts';
import { formatStatus } from '../explain/format-status.ts';
import { createRescan } from '../explain/rescan.ts';
import { readStatus, type Status } from '../explain/status.ts';
import { changeOf, statusLine } from '../explain/status-line.ts';
import { createLineScreen, createTerminalScreen, untilInterrupted, watch, watchedEvery } from '../explain/watch.ts';
import { describeError } from '../output/cli-error.ts';
import { printAnswer, printNote } from '../output/print.ts';
import { globalOptions, type Session, withSession } from '../session.ts';
import { parseEvery } from './durations.ts';

const DEFAULT_EVERY_MS = 2_000;

export function register(program: Command): void {
  program
    .command('status')
    .description('queues, lag, dead letters, unknown outcomes, orders by state, what is held back, and what needs a look')
    .option('--watch', 'look again and again until Ctrl-C: redrawn in a terminal, a line a change in a pipe')
    .addOption(
      new Option('--every <duration>', 'how often to look while watching, for example 5s')
        .argParser(parseEvery)
        .default(DEFAULT_EVERY_MS, '2s'),
    )
    .addHelpText(
      'after',
      `
Ages are those of what was seen: "Oldest seen" looks at ten letters of each dead-letter queue and hides none.
Under --watch --json each change is one document on one line. A table of more than a thousand orders is then read twice a minute only.

Exit codes: 0 looked, also when Ctrl-C ends a watch; 1 failed; 2 wrong usage.

Examples:
  npm run andal -- status
  npm run andal -- status --watch
  npm run andal -- status --watch --every 10s --json
  npm run andal -- status --json --stage test --profile my-team`,
    )
    .action(async ({ watch: isWatched = false, every }: { watch?: boolean; every: number }, command: Command) =>
      withSession(globalOptions(command), (session) => (isWatched ? watchStatus(session, every) : showStatus(session))),
    );
}

const scanOf = (session: Session) => () => scanOrders(session.clients.dynamoDb, session.output(STACK_OUTPUTS.stateTable));

async function showStatus(session: Session): Promise<void> {
  const status = await readStatus(session, scanOf(session));
  printAnswer(session.json, status, () => formatStatus(status));
}

/** Ends with exit code 0, however it is told to end. */
async function watchStatus(session: Session, everyMs: number): Promise<void> {
  const isLive = !session.json && process.stdout.isTTY;
  const ended = untilInterrupted();
  const screen = isLive ? createTerminalScreen(process.stdout) : createLineScreen(process.stdout);
  const textOf = (status: Status): string => {
    if (session.json) return JSON.stringify(changeOf(status));
    return isLive ? `${formatStatus(status)}\n\n${watchedEvery(everyMs)}` : statusLine(status);
  };
  const rescan = createRescan(scanOf(session), Date.now);
  const showFailure = (error: unknown): void => (isLive ? screen.show(describeError(error)) : printNote(describeError(error)));
  try {
    await watch({ everyMs, look: () => readStatus(session, rescan), show: (status) => screen.show(textOf(status)), showFailure }, ended);
  } finally {
    screen.close();
  }
}
