import { letters } from '../output/counted.ts';
import { bad, doubtful, good, quiet } from '../output/paint.ts';
import type { Canary, CanaryEnd } from './canary.ts';
import { describeFailure } from './failure.ts';
import { type ActName, adviceOf, futileLines, PAST } from './format-plan.ts';
import { describeHeldBack, type HeldBack } from './held-back.ts';
import type { Run } from './run.ts';
import { sumOf, type Tallied } from './tally.ts';

/** What was done, what was not and why, and what is left. */
export function formatRun(act: ActName, run: Run, held: readonly HeldBack[], archive?: string): string {
  const { done, refused, failed, canary, interrupted, gaveUp, missing, stillThere } = run;
  return [
    ...(canary === null ? [] : [describeCanary(canary)]),
    `${done > 0 ? good(`${capital(PAST[act])} ${letters(done)}.`) : quiet(`No letter was ${PAST[act]}.`)}${archived(archive, done)}`,
    ...refused.flatMap((one) => describeRefused(act, one)),
    ...failed.flatMap((one) => describeFailed(one, run.lastError)),
    ...missing.map((name) => bad(`The dead-letter queue of ${name} does not exist any more: deploy the stage again to get it back.`)),
    ...(gaveUp ? [bad('Stopped: twenty letters in a row failed, so the others were left alone.')] : []),
    ...(interrupted ? [doubtful('Stopped before the end, between two letters. Run the same command again for the others.')] : []),
    stillThere === 0
      ? 'No letters are left in these queues.'
      : `About ${letters(stillThere)} ${stillThere === 1 ? 'is' : 'are'} left in these queues: npm run andal -- dlq list`,
    ...(act === 'replay' ? futileLines(run.doneFor) : []),
    ...held.map((one) => doubtful(describeHeldBack(one))),
    ...(act === 'replay' && done > 0 ? ['Next: npm run andal -- status'] : []),
  ].join('\n');
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

function archived(archive: string | undefined, done: number): string {
  if (archive === undefined || done === 0) return '';
  const [whose, them] = done === 1 ? ['Its body is', 'it'] : ['Their bodies are', 'them'];
  return ` ${whose} in ${archive}; \`npm run andal -- dlq restore\` brings ${them} back.`;
}

const named = ({ example, count }: Tallied): string => `${example.key ?? example.messageId}${count > 1 ? ' and others' : ''}`;

function describeRefused(act: ActName, refused: Tallied): string[] {
  const advice = adviceOf(act, refused.code);
  return [
    doubtful(`Refused ${letters(refused.count)} of ${refused.queue} (${refused.code}): ${advice?.sentence ?? ''}`),
    `  ${named(refused)}`,
    ...(advice === undefined
      ? []
      : advice
          .next(refused.example.messageId)
          .split('\n')
          .map((line) => `  ${line}`)),
  ];
}

const describeFailed = (failed: Tallied, lastError: unknown): string[] => [
  bad(`Failed for ${letters(failed.count)} of ${failed.queue} (${failed.code}): ${describeFailure(failed.code, lastError)}`),
  `  ${named(failed)}`,
];

function describeCanary({ key, end }: Canary): string {
  switch (end.state) {
    case 'well':
      return good(`The first letter, ${key}, ended well.`);
    case 'letter-again':
      return bad(`The first letter, ${key}, failed again (${end.reason ?? 'no reason kept'}); the others were left alone.`);
    case 'no-end-yet':
      return bad(`The first letter, ${key}, has no end yet${whatHolds(end)}`);
    case 'broken-off':
      return doubtful(`The first letter, ${key}, is on its way; nobody waited for its end.`);
  }
}

/** What an attempt failed for is told only where one was made since. */
function whatHolds({ lastError, heldBack }: Extract<CanaryEnd, { state: 'no-end-yet' }>): string {
  if (heldBack !== null) return `: ${heldBack.sentence} The others were left alone. ${heldBack.next}`;
  const failed = lastError === null ? '' : ` (last error: ${lastError})`;
  return `${failed}; the others were left alone. Wait longer with --canary-wait, or look: npm run andal -- status`;
}

export const exitedWell = ({ done, refused, failed, canary, interrupted, missing }: Run): boolean =>
  done > 0 &&
  !interrupted &&
  missing.length === 0 &&
  sumOf(refused) + sumOf(failed) === 0 &&
  (canary === null || canary.end.state === 'well');
