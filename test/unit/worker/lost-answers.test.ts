import { describe, expect, test } from 'vitest';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { done, PermanentError, RetryableError, UnknownOutcome } from '#shared/worker/outcome.ts';
import type { FaultHook } from '../../support/fake-aws/request-handler.ts';
import { createWorkerBench, type WorkerBench } from '../../support/worker-bench.ts';
import { messageOf, scriptedItem, scriptedJob } from './scripted-job.ts';

type Fault = Awaited<ReturnType<FaultHook>>;

/** Which of a run's writes a request is, by what only that write says. */
const IS = {
  claim: (text: string) => text.includes('if_not_exists'),
  commit: (text: string, values: string) => !text.includes('if_not_exists') && values.includes('"completed"'),
  release: (text: string, values: string) =>
    !text.includes('if_not_exists') && !values.includes('"completed"') && !values.includes('"discarded"'),
  discard: (text: string, values: string) => !text.includes('#buried') && values.includes('"discarded"') && values.includes('"tries"'),
} as const;

/** Does something to the first `times` requests of one write; the SDK's own repetitions count. */
function disturb(bench: WorkerBench, write: keyof typeof IS, fault: Fault, times = 1): void {
  let left = times;
  bench.aws.fault = ({ input }) => {
    if (!IS[write](String(input['UpdateExpression']), JSON.stringify(input['ExpressionAttributeValues']))) return undefined;
    return left-- > 0 ? fault : undefined;
  };
}

const writes = (bench: WorkerBench): number => bench.aws.calls.filter(({ operation }) => operation === 'UpdateItem').length;

// B53
describe('when the answer to a write that was applied is lost and the SDK sends it again', () => {
  test('the claim is known as ours and the job goes on as the owner, at once', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    disturb(bench, 'claim', 'apply-then-lose-answer');
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'committed', facts: { attempt: 1, fence: 1 } });
    expect(writes(bench)).toBe(3);
    expect(bench.payments.captureCalls).toHaveLength(1);
  });

  test('the commit is known as done', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    disturb(bench, 'commit', 'apply-then-lose-answer');
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'committed' });
    expect(bench.order('ord-1')).toMatchObject({ status: 'paid', version: 2 });
  });

  test.each([
    ['of a failure', new RetryableError('later', { sent: 'no' }), 'retry', 1],
    ['that gives the attempt back', new ProviderError('provider-unreachable', { sent: 'no' }), 'deferred', 0],
  ])('the release %s is known as done and counts once, and its delay stands', async (_which, throws, outcome, tries) => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push({ charge: false, throws });
    disturb(bench, 'release', 'apply-then-lose-answer');
    expect(await bench.deliver(body)).toMatchObject({ action: 'hand-back', outcome, delayMs: 8_000 });
    expect(bench.order('ord-1')).toMatchObject({ 'try:capture:1': tries, 'sent:capture:1': 0 });
  });

  test('the discard is known as done, and its letter goes out', async () => {
    const bench = createWorkerBench();
    const definition = scriptedJob(() => Promise.reject(new PermanentError('cannot-work')));
    disturb(bench, 'discard', 'apply-then-lose-answer');
    expect(await bench.deliver(messageOf(definition, { id: 'a' }), { definition })).toMatchObject({
      action: 'ack',
      outcome: 'dead-lettered',
    });
    expect(bench.letters).toHaveLength(1);
  });
});

// B08
describe('when the commit gets no answer at all after the money moved', () => {
  test('and was not applied: the job is not failed, the item is freed as unknown, and the next run pays by asking', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    disturb(bench, 'commit', { error: 'InternalServerError', status: 500 }, 3);
    expect(await bench.deliver(body)).toMatchObject({
      action: 'hand-back',
      outcome: 'unknown',
      delayMs: 8_000,
      facts: { code: 'commit-unanswered' },
    });
    expect(bench.order('ord-1')).toMatchObject({ status: 'pending_payment', lease: 'free', 'sent:capture:1': 1, 'try:capture:1': 1 });
    bench.clock.advance(8_000);
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'committed' });
    expect(bench.payments.captureCalls).toHaveLength(1);
    expect(bench.payments.settledCaptures('u-1/ord-1')).toBe(1);
  });

  test('but was applied: the settle that follows meets it, and the message is acknowledged', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    disturb(bench, 'commit', 'apply-then-lose-answer', 3);
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'committed' });
    expect(bench.order('ord-1')).toMatchObject({ status: 'paid', version: 2, lease: 'free' });
    expect(bench.order('ord-1').overdueAtMs).toBeUndefined();
  });

  test('and the table stays away: nothing is acknowledged, the lease runs out, and the next run pays by asking', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    bench.aws.fault = ({ input }) =>
      String(input['UpdateExpression']).includes('if_not_exists') ? undefined : { error: 'InternalServerError', status: 500 };
    expect(await bench.deliver(body)).toMatchObject({ action: 'hand-back', outcome: 'settle-unanswered' });
    expect(bench.order('ord-1')).toMatchObject({ status: 'pending_payment', lease: 'held' });
    bench.aws.fault = undefined;
    bench.clock.advance(27_001);
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'committed' });
    expect(bench.payments.settledCaptures('u-1/ord-1')).toBe(1);
  });
});

describe('a decision that cannot be written', () => {
  test.each([
    ['both sets and removes an attribute', { set: { a: 1 }, remove: ['a'] }],
    ['holds a class instance', { set: { a: new Map([[1, new (class Odd {})()]]) } }],
    ['holds a date', { set: { a: new Date(0) } }],
    ['holds NaN', { set: { a: Number.NaN } }],
    ['holds a number too large to be exact', { set: { a: 2 ** 60 } }],
    ['is larger than an item may be', { set: { a: 'x'.repeat(401 * 1024) } }],
    ['touches the protocol', { set: { fence: 99 } }],
    ['removes a protocol attribute', { remove: ['lease'] }],
  ])('because it %s frees the item as unknown and ends after the last attempt', async (_why, change) => {
    const bench = createWorkerBench();
    const definition = scriptedJob(async () => done({}, change));
    const body = messageOf(definition, { id: 'a' });
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect(await bench.deliver(body, { definition })).toMatchObject({ action: 'hand-back', outcome: 'unknown' });
      expect(bench.item(scriptedItem('a'))).toMatchObject({
        lease: 'free',
        fence: attempt,
        'try:run': attempt,
        'sent:run': attempt,
        version: 0,
      });
      bench.clock.advance(900_000);
    }
    expect(await bench.deliver(body, { definition })).toMatchObject({
      action: 'ack',
      outcome: 'dead-lettered',
      facts: { code: 'attempts-spent' },
    });
  });

  test('because it enqueues a job whose payload is not the kind’s frees the item as unknown', async () => {
    const bench = createWorkerBench();
    const next = scriptedJob(async () => done({}));
    const definition = scriptedJob(async () => done({}, undefined, { enqueue: [{ definition: next, payload: { id: 7 } }] }));
    expect(await bench.deliver(messageOf(definition, { id: 'a' }), { definition })).toMatchObject({
      outcome: 'unknown',
      facts: { code: 'commit-unanswered' },
    });
    expect(bench.item(scriptedItem('a'))).toMatchObject({ lease: 'free' });
  });
});

describe('when the claim gets no answer', () => {
  test('nothing is run and the message is handed back', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    disturb(bench, 'claim', { error: 'InternalServerError', status: 500 }, 3);
    expect(await bench.deliver(body)).toMatchObject({ action: 'hand-back', outcome: 'claim-unanswered', delayMs: 8_000 });
    expect(bench.payments.captureCalls).toEqual([]);
    expect(bench.order('ord-1')).toMatchObject({ lease: 'free', fence: 0 });
  });

  test('though it was applied each time, the job ends with one charge once the lease has passed', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    disturb(bench, 'claim', 'apply-then-lose-answer', 3);
    expect(await bench.deliver(body)).toMatchObject({ action: 'hand-back', outcome: 'claim-unanswered' });
    expect(bench.order('ord-1')).toMatchObject({ lease: 'held', 'try:capture:1': 1 });
    bench.clock.advance(8_000);
    const busy = await bench.deliver(body);
    expect(busy).toMatchObject({ action: 'hand-back', outcome: 'busy' });
    bench.clock.advance(busy.action === 'hand-back' ? busy.delayMs : 0);
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'committed' });
    expect(bench.payments.settledCaptures('u-1/ord-1')).toBe(1);
  });
});

test('a settle that gets no answer is only a lease that runs out', async () => {
  const bench = createWorkerBench();
  const definition = scriptedJob(() => Promise.reject(new UnknownOutcome('no-answer')));
  disturb(bench, 'release', { error: 'InternalServerError', status: 500 }, 3);
  const body = messageOf(definition, { id: 'a' });
  expect(await bench.deliver(body, { definition })).toMatchObject({
    action: 'hand-back',
    outcome: 'settle-unanswered',
    facts: { code: 'no-answer' },
  });
  bench.clock.advance(60_000);
  expect(await bench.deliver(body, { definition: scriptedJob(async () => done({})) })).toMatchObject({
    action: 'ack',
    outcome: 'committed',
    facts: { attempt: 2 },
  });
});
