import { expect, it } from 'vitest';
import { type AuditedAct, createAuditTrail, endedAs } from '#shared/dead-letter/audit.ts';
import { type DeadLetter, readLetter } from '#shared/dead-letter/read-letter.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { nameOf, pastActs } from '../../../../cli/dead-letters/past-replays.ts';
import { captureBody } from '../../../support/fake-account.ts';
import { createMemoryControl } from '../../../support/memory-control.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 10, 30);
const source = { deadLetterQueueName: 'capture-dlq', queueUrl: 'q', fifo: false, definition: capturePayment };
const letter = (messageId: string, body: string, sentAtMs = START_MS): DeadLetter =>
  readLetter({ messageId, receiptHandle: 'r', body, attributes: {}, sentAtMs, receiveCount: 1 }, source);

function bench() {
  let nowMs = START_MS;
  const clock = { nowMs: () => nowMs };
  const control = createMemoryControl();
  const random = { token: () => `t-${nowMs}` };
  return {
    control,
    nowMs: () => nowMs,
    async act(what: AuditedAct['what'], on: DeadLetter, outcome: string) {
      const entry = await createAuditTrail({ control, clock, random }).begin({ what, who: 'ann', why: 'because', letter: on });
      await entry.end(outcome);
      nowMs += 5 * DAY_MS;
    },
  };
}

const told = async ({ control, nowMs }: ReturnType<typeof bench>, on: DeadLetter): Promise<string[]> =>
  ((await pastActs(control, [on], nowMs())).get(nameOf(on)) ?? []).map(({ what, messageId }) => `${what} ${messageId}`);

it('a letter without a key keeps its history from id to id, however often it was sent again', async () => {
  const here = bench();
  await here.act('replay', letter('m-1', '{}'), endedAs('replayed', 'm-2'));
  await here.act('discard', letter('m-2', '{}'), 'discarded');
  await here.act('discard', letter('m-9', '{}'), 'discarded');
  await here.act('restore', letter('m-2', '{}'), endedAs('restored', 'm-3'));
  expect(await told(here, letter('m-3', '{}', here.nowMs()))).toEqual(['replay m-1', 'discard m-2', 'restore m-2']);
  expect(await told(here, letter('m-4', '{}', here.nowMs()))).toEqual([]);
});

it('a letter with a key has the history of its key, and no other', async () => {
  const here = bench();
  await here.act('replay', letter('m-1', captureBody('u-1', 'o-1')), endedAs('replayed', 'm-2'));
  await here.act('replay', letter('m-5', captureBody('u-1', 'o-2')), 'refused: superseded');
  expect(await told(here, letter('m-7', captureBody('u-1', 'o-1')))).toEqual(['replay m-1']);
});
