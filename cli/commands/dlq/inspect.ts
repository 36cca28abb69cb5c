import type { Command } from 'commander';
import { createItemStore } from '#shared/aws/item-store.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { controlOf } from '../../aws/control.ts';
import { readItem } from '../../aws/items.ts';
import { formatInspection } from '../../dead-letters/format-inspection.ts';
import { type Inspection, inspect } from '../../dead-letters/inspection.ts';
import { desksOf } from '../../dead-letters/letter-desk.ts';
import type { LetterFilter } from '../../dead-letters/letter-filter.ts';
import { type Oldest, oldestOf } from '../../dead-letters/oldest.ts';
import { nameOf, pastActs } from '../../dead-letters/past-replays.ts';
import { paymentsOf } from '../../dead-letters/provider.ts';
import { EXIT } from '../../output/cli-error.ts';
import { printAnswer } from '../../output/print.ts';
import { globalOptions, type Session, withSession } from '../../session.ts';
import { wholeNumber } from '../whole-number.ts';
import { type FilterOptions, filterOf, parseLetterId, withFilterOptions } from './filter-options.ts';
import { noLetterMatches } from './no-letter.ts';

interface InspectOptions extends FilterOptions {
  readonly max: number;
  readonly showPayload?: boolean;
}

const parseMax = wholeNumber('So many letters are inspected at a time: a whole number from 1 to 100.', { min: 1, max: 100 });

export const register = (dlq: Command): void => {
  withFilterOptions(
    dlq
      .command('inspect')
      .description('letters from every side: why, attempts, item, provider, cache, and what a replay would do')
      .argument('[id]', 'message id of a letter, or the beginning of it; left out: the oldest letters', parseLetterId),
  )
    .option('--max <number>', 'so many letters, the oldest first', parseMax, 5)
    .option('--show-payload', 'show bodies as they are; without it the values of payloads are covered')
    .addHelpText(
      'after',
      `
The provider is asked and nothing is changed, there or here.

Exit codes: 0 shown, 1 failed, 2 wrong usage, 3 no letter matches.

Examples:
  npm run andal -- dlq inspect
  npm run andal -- dlq inspect 7d0c41c2
  npm run andal -- dlq inspect --key u-17/ORDERID --show-payload
  npm run andal -- dlq inspect --fingerprint 9f3a --max 1 --json`,
    )
    .action((id: string | undefined, { max, showPayload = false, ...filter }: InspectOptions, command: Command) =>
      withSession(globalOptions(command), (session) => show(session, filterOf(filter, id), { max, showPayload })),
    );
};

async function show(session: Session, filter: LetterFilter, { max, showPayload }: { max: number; showPayload: boolean }): Promise<void> {
  const nowMs = Date.now();
  const oldest = await oldestOf(desksOf(session, filter.kind), filter, max, nowMs);
  if (oldest.letters.length === 0) throw noLetterMatches(filter, oldest);
  const inspections = await inspectAll(session, oldest, showPayload, nowMs);
  printAnswer(session.json, { stage: session.target.stage, matched: oldest.matched, letters: inspections }, () => {
    const more = oldest.matched - inspections.length;
    const pages = inspections.map((inspection) => formatInspection(inspection, nowMs));
    return [...pages, ...(more > 0 ? [`${more} more ${more === 1 ? 'letter matches' : 'letters match'}; --max shows more.`] : [])].join(
      '\n\n',
    );
  });
  process.exitCode = EXIT.ok;
}

async function inspectAll(session: Session, { letters }: Oldest, showPayload: boolean, nowMs: number): Promise<Inspection[]> {
  const { dynamoDb } = session.clients;
  const control = controlOf(session);
  const world = {
    store: createItemStore(dynamoDb, session.output(STACK_OUTPUTS.stateTable)),
    payments: paymentsOf(session),
    control,
    readCacheRow: (key: string) => readItem(dynamoDb, session.output(STACK_OUTPUTS.cacheTable), { key }),
    nowMs,
  };
  const before = await pastActs(
    control,
    letters.map(({ letter }) => letter),
    nowMs,
  );
  return Promise.all(letters.map((one) => inspect(one, before.get(nameOf(one.letter)) ?? [], showPayload, world)));
}
