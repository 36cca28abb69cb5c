import { expect, test } from 'vitest';
import { AUDIT_KEPT_DAYS, type AuditEntry, createAuditTrail, readAudit } from '#shared/dead-letter/audit.ts';
import type { DeadLetter } from '#shared/dead-letter/read-letter.ts';
import { createMemoryControl } from '../../support/memory-control.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const DAY = '2026-11-30';

function createBench() {
  const control = createMemoryControl();
  const clock = createVirtualClock();
  let tokens = 0;
  const trail = () => createAuditTrail({ control, clock, random: { token: () => `run${++tokens}` } });
  const letter = (messageId: string): DeadLetter => ({
    source: { deadLetterQueueName: 'q-dlq', queueUrl: 'u', fifo: false },
    received: { messageId, receiptHandle: 'r', body: 'secret', attributes: {}, sentAtMs: 0, receiveCount: 1 },
    why: undefined,
    movedBySqs: true,
    job: undefined,
  });
  const act = (messageId: string) => ({ what: 'replay' as const, who: 'tester', why: 'because', letter: letter(messageId) });
  const read = async (day = DAY): Promise<AuditEntry[]> => {
    const entries: AuditEntry[] = [];
    for await (const entry of readAudit(control, day)) entries.push(entry);
    return entries;
  };
  return { control, clock, trail, act, read };
}

test('an entry says who, when, what and why before the act, and its outcome after it', async () => {
  const { clock, trail, act, read } = createBench();
  const entry = await trail().begin(act('m-1'));
  expect(await read()).toEqual([
    { id: entry.id, what: 'replay', who: 'tester', why: 'because', atMs: clock.nowMs(), queue: 'q-dlq', messageId: 'm-1' },
  ]);
  clock.advance(5);
  await entry.end('replayed');
  expect(await read()).toMatchObject([{ outcome: 'replayed', endedAtMs: clock.nowMs() }]);
});

test('entries are kept for 400 days and hold no body', async () => {
  const { control, clock, trail, act } = createBench();
  await (await trail().begin(act('m-1'))).end('replayed');
  for (const row of control.rows.values()) {
    expect(Number(row['expiresAt']) * 1000).toBeGreaterThanOrEqual(clock.nowMs() + AUDIT_KEPT_DAYS * 86_400_000);
    expect(JSON.stringify(row)).not.toContain('secret');
  }
});

test('many acts side by side are read in the order they began, run by run, page by page', async () => {
  const { control, clock, trail, act, read } = createBench();
  const [first, second] = [trail(), trail()];
  await Promise.all(Array.from({ length: 230 }, (_, index) => first.begin(act(`a-${index}`))));
  await second.begin(act('b-0'));
  expect((await read()).map(({ messageId }) => messageId)).toEqual([...Array.from({ length: 230 }, (_, index) => `a-${index}`), 'b-0']);
  const ids = (await read()).map(({ id }) => id);
  expect(ids).toEqual([...ids].sort());
  control.calls.length = 0;
  for await (const _ of readAudit(control, DAY)) break;
  expect(control.calls.length).toBeLessThanOrEqual(101);
  clock.advance(86_400_000);
  await trail().begin(act('c-0'));
  expect((await read('2026-12-01')).map(({ messageId }) => messageId)).toEqual(['c-0']);
});

test('entries that could not be written leave gaps and hide none behind them', async () => {
  const { control, trail, act, read } = createBench();
  const one = trail();
  for (let index = 0; index < 250; index++) {
    control.failure = index > 0 && index < 240 ? new Error('no answer') : undefined;
    await one.begin(act(`m-${index}`)).catch(() => undefined);
  }
  expect((await read()).map(({ messageId }) => messageId)).toEqual([
    'm-0',
    ...Array.from({ length: 10 }, (_, index) => `m-${240 + index}`),
  ]);
});

test('acts that begin together are written together, twenty-five to a row, and so are their outcomes', async () => {
  const { control, trail, act, read } = createBench();
  const one = trail();
  await one.begin(act('first'));
  control.calls.length = 0;
  const entries = await Promise.all(Array.from({ length: 30 }, (_, index) => one.begin(act(`m-${index}`))));
  expect(control.calls.filter((call) => call.startsWith('put'))).toHaveLength(2);
  control.calls.length = 0;
  await Promise.all(entries.map((entry, index) => (index === 29 ? undefined : entry.end(`ended ${index}`))));
  expect(control.calls).toHaveLength(2);
  expect((await read()).map(({ messageId, outcome }) => [messageId, outcome])).toEqual([
    ['first', undefined],
    ...Array.from({ length: 30 }, (_, index) => [`m-${index}`, index === 29 ? undefined : `ended ${index}`]),
  ]);
});

test('an entry that cannot be written is no entry: the act may not begin', async () => {
  const { control, trail, act } = createBench();
  control.failure = new Error('no answer');
  await expect(trail().begin(act('m-1'))).rejects.toThrow('no answer');
});

test('an outcome that cannot be written does not undo the act', async () => {
  const { control, trail, act, read } = createBench();
  const entry = await trail().begin(act('m-1'));
  control.failure = new Error('no answer');
  await entry.end('replayed');
  control.failure = undefined;
  expect((await read())[0]?.outcome).toBeUndefined();
});

test('a late copy of the entry does not take its outcome away', async () => {
  const { control, clock, act, read } = createBench();
  const puts: Parameters<typeof control.put>[] = [];
  const twice = {
    ...control,
    put: (...given: Parameters<typeof control.put>) => {
      puts.push(given);
      return control.put(...given);
    },
  };
  const entry = await createAuditTrail({ control: twice, clock, random: { token: () => 'run' } }).begin(act('m-1'));
  await entry.end('replayed');
  for (const copy of puts) await control.put(...copy);
  expect((await read())[0]?.outcome).toBe('replayed');
});
