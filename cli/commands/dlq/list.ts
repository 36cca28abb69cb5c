import type { Command } from 'commander';
import { formatSurvey } from '../../dead-letters/format-survey.ts';
import { desksOf } from '../../dead-letters/letter-desk.ts';
import type { LetterFilter } from '../../dead-letters/letter-filter.ts';
import { type Survey, surveyAll } from '../../dead-letters/survey.ts';
import { EXIT, type ExitCode } from '../../output/cli-error.ts';
import { printAnswer } from '../../output/print.ts';
import { globalOptions, type Session, withSession } from '../../session.ts';
import { type FilterOptions, filterOf, withFilterOptions } from './filter-options.ts';

export const register = (dlq: Command): void => {
  withFilterOptions(dlq.command('list').description('every dead-letter queue: how many letters, how old, why, and when SQS deletes them'))
    .addHelpText(
      'after',
      `
A look takes nothing away: letters are hidden while it lasts and given back at its end.
Age counts from the first send of a message, as SQS counts on standard queues; a letter a worker wrote is a message of its own.

Exit codes: 0 looked, 1 failed, 2 wrong usage, 3 no letter matches the filter, 4 some of the queues are missing.

Examples:
  npm run andal -- dlq list
  npm run andal -- dlq list --kind capture-payment --older-than 2h
  npm run andal -- dlq list --json --stage test --profile my-team`,
    )
    .action((options: FilterOptions, command: Command) =>
      withSession(globalOptions(command), (session) => list(session, filterOf(options))),
    );
};

async function list(session: Session, filter: LetterFilter): Promise<void> {
  const survey = await surveyAll(session.target.stage, desksOf(session, filter.kind), filter, Date.now());
  printAnswer(session.json, survey, () => formatSurvey(survey, filter));
  process.exitCode = exitCodeOf(survey);
}

function exitCodeOf({ queues, matched, filtered }: Survey): ExitCode {
  const missing = queues.filter(({ state }) => state === 'missing').length;
  if (missing > 0) return missing === queues.length ? EXIT.failed : EXIT.partlyDone;
  return filtered && matched === 0 ? EXIT.nothingFound : EXIT.ok;
}
