import { userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import { createCacheEntries } from '#shared/aws/cache-entries.ts';
import { createOrderReader } from '#shared/aws/order-reader.ts';
import { repair } from '#shared/cache/repair.ts';
import { tableTruth } from '#shared/cache/table-truth.ts';
import { type Verification, verify } from '#shared/cache/verify.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { systemClock } from '#shared/runtime/clock.ts';
import { systemRandom } from '#shared/runtime/random.ts';
import { audited } from '../audit/operator-act.ts';
import { controlOf } from '../aws/control.ts';
import { cachePortOf } from '../cache/cache-port-of.ts';
import { type CacheReport, formatCacheReport } from '../cache/format-verification.ts';
import { CliError, EXIT, type ExitCode } from '../output/cli-error.ts';
import { printAnswer } from '../output/print.ts';
import { globalOptions, type Session, withSession } from '../session.ts';
import { durationWithin } from './durations.ts';
import { wholeNumber } from './whole-number.ts';

interface VerifyOptions {
  readonly sample?: number;
  readonly all?: boolean;
  readonly repair?: boolean;
  readonly lag: number;
}

const DEFAULT_SAMPLE = 500;
const DEFAULT_LAG_MS = 10_000;

const parseSample = wholeNumber('A sample is a whole number of entries from 1 to 1000000, in plain digits.', { min: 1, max: 1_000_000 });
const parseLag = durationWithin('The lag is a duration from 1s to 1h, for example 10s.', { minMs: 1_000, maxMs: 3_600_000 });

export function register(program: Command): void {
  const cache = program.command('cache').description('hold the cache against the table');
  cache
    .command('verify')
    .description('compare cached values with strongly consistent reads of the table')
    .option('--sample <number>', `so many values, from anywhere (default: ${DEFAULT_SAMPLE})`, parseSample)
    .option('--all', 'every value')
    .option('--repair', 'take what is wrong out of the cache; the next reader loads the table')
    .addOption(
      new Option('--lag <duration>', 'what differs is looked at again this much later, as a change takes its time to the cache')
        .argParser(parseLag)
        .default(DEFAULT_LAG_MS, '10s'),
    )
    .addHelpText(
      'after',
      `
Each compared value costs a strongly consistent read; a user's summary costs a query over all of the user's orders.

Exit codes: 0 nothing wrong, or all of it repaired; 1 wrong values were found; 2 wrong usage; 4 some could not be repaired.

Examples:
  npm run andal -- cache verify
  npm run andal -- cache verify --sample 50 --json
  npm run andal -- cache verify --all --repair
  npm run andal -- cache verify --all --lag 30s --stage prod --profile my-team`,
    )
    .action(async (options: VerifyOptions, command: Command) =>
      withSession(globalOptions(command), async (session) => {
        if (options.all === true && options.sample !== undefined)
          throw new CliError('Verify a sample or all values, not both: `npm run andal -- cache verify --all`.', { exitCode: EXIT.usage });
        const verification = await verifyCache(session, options);
        const repaired = options.repair === true ? await repairAll(session, verification) : null;
        const report: CacheReport = { stage: session.target.stage, lagMs: options.lag, ...verification, repaired };
        printAnswer(session.json, report, () => formatCacheReport(report));
        process.exitCode = exitCodeOf(report);
      }),
    );
}

function verifyCache(
  { clients: { dynamoDb }, output }: Session,
  { sample = DEFAULT_SAMPLE, all, lag }: VerifyOptions,
): Promise<Verification> {
  const cached = createCacheEntries(dynamoDb, output(STACK_OUTPUTS.cacheTable), systemRandom);
  return verify({
    entries: () => cached.all(),
    entry: cached.one,
    valueIn: cached.valueIn,
    truth: tableTruth(createOrderReader(dynamoDb, output(STACK_OUTPUTS.stateTable))),
    clock: systemClock,
    lagMs: lag,
    sample: all === true ? 'all' : sample,
  });
}

function repairAll(session: Session, { mismatches }: Verification): Promise<string[]> {
  const keys = mismatches.map(({ key }) => key);
  if (keys.length === 0) return Promise.resolve([]);
  const why = `${keys.length} values were wrong for longer than the stream lags`;
  return audited(
    controlOf(session),
    { what: 'cache-repair', who: userInfo().username, why },
    () => repair(keys, cachePortOf(session)),
    (done) => `invalidated ${done.length} of ${keys.length}`,
  );
}

function exitCodeOf({ mismatches, repaired }: CacheReport): ExitCode {
  if (mismatches.length === 0) return EXIT.ok;
  if (repaired === null) return EXIT.failed;
  return repaired.length === mismatches.length ? EXIT.ok : EXIT.partlyDone;
}
