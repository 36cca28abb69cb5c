import type { Command } from 'commander';
import { formatDrainReport } from '../drain-report/format-report.ts';
import { lookForVersions } from '../drain-report/look.ts';
import { EXIT } from '../output/cli-error.ts';
import { printAnswer } from '../output/print.ts';
import { globalOptions, withSession } from '../session.ts';
import { JOB_KINDS, parseJobKind } from './job-kind.ts';

export function register(program: Command): void {
  program
    .command('drain-report')
    .description('messages by version, before the reader of an old version is removed')
    .argument('[kind]', `job kind: ${JOB_KINDS.join(', ')}; all of them when left out`, parseJobKind)
    .addHelpText(
      'after',
      `
Versions are held against those that this checkout writes. Looked at are the dead-letter queues (letters are hidden while the look
lasts and given back at its end), the outboxes that may still be sent, and the jobs that the rescue may send again; the whole table is
read for that. A queue that workers read is only counted: a look into it would be a delivery.

Exit codes: 0 nothing older is left, 1 failed, 2 wrong usage, 4 older messages are left, or not everything could be looked at.

Examples:
  npm run andal -- drain-report
  npm run andal -- drain-report capture-payment
  npm run andal -- drain-report --json --stage test --profile my-team`,
    )
    .action((kind: string | undefined, _options: unknown, command: Command) =>
      withSession(globalOptions(command), async (session) => {
        const report = await lookForVersions(session, kind, Date.now());
        printAnswer(session.json, report, () => formatDrainReport(report));
        process.exitCode = report.drained && report.complete ? EXIT.ok : EXIT.partlyDone;
      }),
    );
}
