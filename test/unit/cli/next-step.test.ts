import { describe, expect, it } from 'vitest';
import { ProviderError } from '#shared/payments/payment-port.ts';
import type { Explanation } from '../../../cli/explain/explanation.ts';
import { type LoadControl, NOTHING_HELD_BACK } from '../../../cli/explain/load-control.ts';
import { nextSteps } from '../../../cli/explain/next-step.ts';
import { providerAnswer } from '../../../cli/explain/provider-answer.ts';

const NOW_MS = 1_000_000;
type Known = Omit<Explanation, 'next'>;
const paid: Known = {
  order: { userId: 'u-1', orderId: 'o-1', status: 'paid', attempt: 1 },
  timeline: [],
  traces: [],
  capturesAtProvider: 1,
  provider: { paymentIntentId: 'pi-1', status: 'captured', captureId: 'cap-1', refundId: null },
  cache: { state: 'none', version: null, current: null },
  held: null,
  letters: [],
  lookedThrough: [],
  acts: [],
};
const ordered = (order: Readonly<Record<string, unknown>>, rest: Partial<Known> = {}): Known => ({
  ...paid,
  ...rest,
  order: { ...paid.order, ...order },
});
const steps = (known: Known, heldBack: LoadControl = NOTHING_HELD_BACK) => nextSteps(known, { heldBack, nowMs: NOW_MS });
const commands = (known: Known, heldBack?: LoadControl) => steps(known, heldBack).map(({ command }) => command);
const letter = { queue: 'capture-payment', messageId: 'm-1', sentAtMs: 1, reason: 'attempts-spent', attempts: 6, key: 'capture:u-1/o-1:1' };
const discarded = (buried: boolean) => ({
  status: 'pending_payment',
  overdueAtMs: NOW_MS + 1,
  'op:capture:1': { status: 'discarded', buried },
});

describe('the next step', () => {
  it('is none for an order that has ended', () => {
    expect(steps(paid)).toEqual([{ why: 'Nothing is left to do.', command: null }]);
  });

  it.each([
    ['a letter waits: look at it', ordered(discarded(true), { letters: [letter] }), 'npm run andal -- dlq inspect --key u-1/o-1'],
    ['a letter waits that is no job: by its id', ordered({}, { letters: [{ ...letter, key: null }] }), 'npm run andal -- dlq inspect m-1'],
    ['its letter is not out yet: the rescue', ordered(discarded(false)), 'npm run andal -- sweep'],
    ['its letter is gone: who took it', ordered(discarded(true)), 'npm run andal -- audit --key u-1/o-1 --since 30d'],
    [
      'its letter may be hidden: look again',
      ordered(discarded(true), { lookedThrough: [{ queue: 'capture-payment', seen: 1, unseen: 2, state: 'there' }] }),
      'npm run andal -- explain u-1/o-1',
    ],
    ['it should have run again', ordered({ status: 'pending_payment', overdueAtMs: NOW_MS - 1 }), 'npm run andal -- sweep'],
    ['it will run again', ordered({ status: 'pending_payment', overdueAtMs: NOW_MS + 1 }), 'npm run andal -- status --watch'],
    ['its message may be lost', ordered({ status: 'refund_pending' }), 'npm run andal -- sweep --dry-run --whole-table'],
    [
      'a worker is at it',
      ordered({ status: 'pending_payment' }, { held: { owner: 'w', operation: 'capture:1', untilMs: NOW_MS + 1 } }),
      'npm run andal -- status --watch',
    ],
    [
      'the cache is behind',
      { ...paid, cache: { state: 'value', version: 1, current: false } } satisfies Known,
      'npm run andal -- cache verify --all --repair',
    ],
  ])('where %s', (_, known, command) => {
    expect(commands(known)[0]).toBe(command);
  });

  it('is told once for all letters that one command shows', () => {
    const letters = [letter, { ...letter, messageId: 'm-2', queue: 'send-receipt', reason: 'malformed' }, { ...letter, key: null }];
    expect(steps(ordered(discarded(true), { letters })).slice(0, 2)).toEqual([
      {
        why: '2 dead letters wait in capture-payment (attempts-spent), send-receipt (malformed): see what a replay would do.',
        command: 'npm run andal -- dlq inspect --key u-1/o-1',
      },
      {
        why: 'A dead letter waits in capture-payment (attempts-spent): see what a replay would do.',
        command: 'npm run andal -- dlq inspect m-1',
      },
    ]);
  });

  it.each([
    ['with its letter waiting', ordered(discarded(true), { letters: [letter] })],
    ['with its letter gone', ordered({ ...discarded(true), overdueAtMs: undefined })],
    ['of a refund', ordered({ status: 'refund_pending', refundAttempt: 2, 'op:refund:2': { status: 'discarded', buried: true } })],
  ])('says of a job that was given up, %s, nothing of a message on its way', (_, known) => {
    expect(commands(known)).toHaveLength(1);
  });

  it('names the pause or the circuit that holds it back before anything is run', () => {
    const waiting = ordered({ status: 'pending_payment', overdueAtMs: NOW_MS - 1 });
    expect(commands(waiting, { ...NOTHING_HELD_BACK, paused: [{ kind: 'capture-payment', pause: null }] })).toEqual([
      'npm run andal -- resume capture-payment',
    ]);
    expect(commands(waiting, { ...NOTHING_HELD_BACK, paused: [{ kind: 'refund-payment', pause: null }] })).toEqual([
      'npm run andal -- sweep',
    ]);
    const open = { dependency: 'payment-provider', state: 'open' as const, openings: 1, openedAtMs: 1, retryAtMs: 2 };
    expect(commands(waiting, { ...NOTHING_HELD_BACK, circuits: [open] })).toEqual(['npm run andal -- status --watch']);
  });

  it('begins with a second charge, which no command takes back', () => {
    const [first] = steps({ ...paid, capturesAtProvider: 2 });
    expect(first).toMatchObject({ why: expect.stringContaining('more than once'), command: null });
  });
});

describe("the provider's answer", () => {
  const money = { paymentIntentId: 'pi-2', captureId: 'cap-2', key: 'k', amountMinor: 1, currency: 'EUR', atMs: 1 };
  const never = { find: () => Promise.reject(new Error('asked')) };
  const books = (account: object) => providerAnswer('pi-2', { reference: 'u-1/o-1', captures: [], refunds: [], ...account }, never);

  it('is read from its books where it keeps open ones, about the present intent alone, without asking', async () => {
    expect(await books({ captures: [{ ...money, paymentIntentId: 'pi-1' }] })).toMatchObject({ status: 'not-captured', captureId: null });
    expect(await books({ captures: [money] })).toMatchObject({ status: 'captured', captureId: 'cap-2' });
    expect(await books({ captures: [money], refunds: [{ ...money, refundId: 're-1' }] })).toMatchObject({
      status: 'refunded',
      refundId: 're-1',
    });
  });

  it('is asked for elsewhere, and no answer is said to be none', async () => {
    const find = (answer: () => Promise<never> | Promise<object>) => providerAnswer('pi-2', undefined, { find: answer as never });
    expect(await find(async () => ({ status: 'voided' }))).toMatchObject({ status: 'voided', captureId: null });
    expect(await find(() => Promise.reject(new ProviderError('provider-timeout', { sent: 'maybe' })))).toMatchObject({
      status: 'unanswered',
    });
  });
});
