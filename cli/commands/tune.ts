import { type Command, Option } from 'commander';
import { executeJobEnvironment, readRateLimits } from '#shared/contract/environment.ts';
import { jobs } from '#shared/jobs/index.ts';
import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import { workerVariables } from '../aws/function-variables.ts';
import { workerBatches } from '../aws/worker-log.ts';
import { parseDuration } from '../dead-letters/duration.ts';
import { EXIT } from '../output/cli-error.ts';
import { printAnswer } from '../output/print.ts';
import { globalOptions, type Session, withSession } from '../session.ts';
import { formatTuning, type Tuning } from '../tune/format-tuning.ts';
import { measure } from '../tune/measure.ts';
import { propose } from '../tune/propose.ts';
import { proposeLoad } from '../tune/propose-load.ts';

const DEFAULT_SINCE_MS = 86_400_000;

export function register(program: Command): void {
  program
    .command('tune')
    .description('measured times beside what is declared: what to change and by which measurement, and what to keep; edits nothing')
    .addOption(
      new Option('--since <duration>', 'look at what was logged since, for example 3h, 2d')
        .argParser(parseDuration)
        .default(DEFAULT_SINCE_MS, '24h'),
    )
    .addHelpText(
      'after',
      `
Read from the logs of the workers, at most 20,000 batches of a kind. From a kind's p99 and the longest wait for its dependency follow function timeout,
lease and visibility timeout (shared/contract/timing.ts); they are never set by hand.

Exit codes: 0 measured, 1 failed, 2 wrong usage, 3 too little data for every kind.

Examples:
  npm run andal -- tune
  npm run andal -- tune --since 7d --stage prod --profile my-team
  npm run andal -- tune --json`,
    )
    .action(async ({ since }: { since: number }, command: Command) =>
      withSession(globalOptions(command), async (session) => {
        const tuning = await tune(session, Date.now() - since);
        printAnswer(session.json, tuning, () => formatTuning(tuning));
        if (tuning.proposals.every(({ verdict }) => verdict === 'too-little-data')) process.exitCode = EXIT.nothingFound;
      }),
    );
}

async function tune(session: Session, sinceMs: number): Promise<Tuning> {
  const variables = await Promise.all(jobs.map(({ kind }) => workerVariables(session, kind)));
  const settings = workerSettings.parse(variables.find((one) => one['TIME_SCALE'] !== undefined) ?? {});
  const proposeFor = async (definition: AnyJobDefinition): Promise<Tuning['proposals'][number]> => {
    const measured = measure(definition.kind, await workerBatches(session, definition.kind, sinceMs));
    return { ...propose(definition, measured, settings.TIME_SCALE), dependency: definition.dependency ?? null };
  };
  const proposals = await Promise.all(jobs.map(proposeFor));
  const rateLimits = readRateLimits(settings.RATE_LIMITS);
  const behind = Map.groupBy(
    proposals.filter(({ dependency }) => dependency !== null),
    ({ dependency }) => String(dependency),
  );
  const load = [...behind].map(([dependency, kinds]) =>
    proposeLoad(
      dependency,
      kinds.map(({ measured }) => measured),
      rateLimits[dependency as keyof typeof rateLimits],
    ),
  );
  return { stage: session.target.stage, sinceMs, timeScale: settings.TIME_SCALE, rateLimits, proposals, load };
}

const workerSettings = executeJobEnvironment.pick({ TIME_SCALE: true, RATE_LIMITS: true });
