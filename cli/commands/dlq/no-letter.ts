import { describeFilter, isOpenFilter, type LetterFilter } from '../../dead-letters/letter-filter.ts';
import { CliError, EXIT } from '../../output/cli-error.ts';

interface Found {
  /** Queues that were to be looked through and are not there. */
  readonly missing: readonly string[];
  /** Letters that could not be seen, because somebody hides them. */
  readonly hidden: number;
}

export function noLetterMatches(filter: LetterFilter, { missing, hidden }: Found): CliError {
  if (missing.length > 0)
    return new CliError(
      `No letter was found, and the dead-letter queue of ${missing.join(', ')} does not exist any more: deploy the stage again to get it back.`,
    );
  return new CliError(`${sentenceFor(filter, hidden)}${hidden === 0 ? '' : hint(hidden, isOpenFilter(filter))}`, {
    exitCode: EXIT.nothingFound,
  });
}

function sentenceFor(filter: LetterFilter, hidden: number): string {
  if (isOpenFilter(filter)) return hidden === 0 ? 'There are no dead letters.' : 'No dead letter can be seen now.';
  return `No letter matches: ${describeFilter(filter)}. \`npm run andal -- dlq list\` shows what there is.`;
}

const hint = (hidden: number, allAreMeant: boolean): string =>
  ` About ${hidden} are hidden, by somebody who looks at them or by a run that was cut off${allAreMeant ? '' : ', and whether they match cannot be known'}: try again in two minutes.`;
