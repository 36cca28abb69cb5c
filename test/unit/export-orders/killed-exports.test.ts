import { describe, expect, test } from 'vitest';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { ORDERS_PER_STEP } from '#shared/jobs/export-orders.ts';
import { USER } from '../../support/worker-bench.ts';
import { createExportBench, type ExportBench, idsOf, Killed, orderIds } from './export-bench.ts';

const ORDERS = 2_000;
const kill = (): never => {
  throw new Killed();
};

/** Four full parts, and the empty one that tells the last step that it is the last. */
const STEPS = ORDERS / ORDERS_PER_STEP + 1;

/** Where a worker can die in a step; each arms the bench for its next execution. */
const deaths: Record<string, (bench: ExportBench) => void> = {
  'after its claim': (bench) => {
    bench.aws.fault = ({ operation }) => (operation === 'Query' ? kill() : undefined);
  },
  'in the middle of its reading': (bench) => {
    let pages = 0;
    bench.aws.fault = ({ operation }) => (operation === 'Query' && ++pages === 3 ? kill() : undefined);
  },
  'before its part is written': (bench) => {
    bench.objects.before = (operation) => (operation === 'putOnce' ? kill() : undefined);
  },
  'between its part and its commit': (bench) => {
    bench.aws.fault = ({ operation, input }) => (isCommit(operation, input) ? kill() : undefined);
  },
  'before it put the parts together': (bench) => {
    bench.objects.before = (operation) => (operation === 'put' ? kill() : undefined);
  },
  'after it put the parts together': (bench) => {
    bench.objects.after = (operation) => (operation === 'put' ? kill() : undefined);
  },
};
const isCommit = (operation: string, input: unknown): boolean =>
  operation === 'UpdateItem' && JSON.stringify(input).includes('"op:run"') && JSON.stringify(input).includes('"completed"');

function prepare(): ExportBench {
  const bench = createExportBench();
  bench.addOrders(...orderIds(ORDERS));
  return bench;
}

describe('an export of 2,000 orders', () => {
  const bench = prepare();

  test.each(Object.keys(deaths))('whose worker dies in every step %s holds each order once', async (death) => {
    const name = `killed ${death}`.replaceAll(' ', '-');
    const kills = await bench.runAll([await bench.begin(name)], (_, attempt) => {
      if (attempt === 1) deaths[death]?.(bench);
    });
    expect(kills).toBe(death.includes('the parts together') ? 1 : death.includes('middle') ? STEPS - 1 : STEPS);
    expect(idsOf(bench.exported(name))).toEqual(orderIds(ORDERS));
    expect(bench.letters).toEqual([]);
  });

  test('whose worker dies in every step in each of the ways, one after another, holds each order once', async () => {
    const inEach = ['after its claim', 'before its part is written', 'between its part and its commit'];
    const inTheLast = [
      'after its claim',
      'before its part is written',
      'before it put the parts together',
      'after it put the parts together',
      'between its part and its commit',
    ];
    const kills = await bench.runAll([await bench.begin('all-deaths')], (body, attempt) => {
      const ways = body.includes(`"step":${STEPS},`) ? inTheLast : inEach;
      deaths[ways[attempt - 1] ?? '']?.(bench);
    });
    expect(kills).toBe((STEPS - 1) * inEach.length + inTheLast.length);
    expect(idsOf(bench.exported('all-deaths'))).toEqual(orderIds(ORDERS));
    expect(bench.letters).toEqual([]);
  });

  test('whose messages all come three times holds each order once', async () => {
    const first = await bench.begin('copies');
    const waiting = [first, first, first];
    for (let body = waiting.shift(); body !== undefined; body = waiting.shift()) {
      await bench.run(body);
      for (const next of bench.newMessages()) waiting.push(next, next, next);
    }
    expect(idsOf(bench.exported('copies'))).toEqual(orderIds(ORDERS));
  });

  test('whose every commit loses its answer holds each order once', async () => {
    await bench.runAll([await bench.begin('lost-answers')], (_, attempt) => {
      if (attempt === 1) bench.aws.fault = ({ operation, input }) => (isCommit(operation, input) ? 'apply-then-lose-answer' : undefined);
    });
    expect(idsOf(bench.exported('lost-answers'))).toEqual(orderIds(ORDERS));
  });
});

describe('a late worker', () => {
  /** Begins a step that sleeps before one of its storage operations until it is woken. */
  const sleepingBefore = (bench: ExportBench, operation: 'putOnce' | 'put', body: string) => {
    const woken = Promise.withResolvers<void>();
    const asleep = Promise.withResolvers<void>();
    let isMine = true;
    bench.objects.before = async (next) => {
      if (next !== operation || !isMine) return;
      isMine = false;
      asleep.resolve();
      await woken.promise;
    };
    return { ending: bench.run(body), asleep: asleep.promise, wake: () => woken.resolve() };
  };

  test('that read other orders than its successor changes nothing: no order is there twice or not at all', async () => {
    const bench = createExportBench();
    const ids = orderIds(ORDERS_PER_STEP + 10);
    bench.addOrders(...ids);
    const first = await bench.begin('e-1');
    const late = sleepingBefore(bench, 'putOnce', first);
    await late.asleep;
    // With this order in, the successor's page ends one order earlier than the sleeper's.
    bench.addOrders('o-00000-new');
    bench.clock.advance(600_000);
    expect(await bench.run(first)).toMatchObject({ outcome: 'committed', facts: { fence: 2 } });
    const part = bench.part('e-1', 1);
    late.wake();
    expect(await late.ending).toMatchObject({ action: 'hand-back', outcome: 'fenced' });
    expect(bench.part('e-1', 1)).toBe(part);
    await bench.runAll(bench.newMessages());
    expect(idsOf(bench.exported('e-1'))).toEqual([...ids, 'o-00000-new'].sort());
  });

  test('whose part was written before it died is followed by the next step exactly where that part ends', async () => {
    const bench = createExportBench();
    const ids = orderIds(ORDERS_PER_STEP + 10);
    bench.addOrders(...ids);
    await bench.runAll([await bench.begin('e-1')], (_, attempt) => {
      if (attempt === 1) deaths['between its part and its commit']?.(bench);
      // What the second run reads ends elsewhere; the part that is there counts.
      if (attempt === 2) bench.addOrders('o-00000-new');
    });
    expect(idsOf(bench.exported('e-1'))).toEqual(ids);
  });

  test('of the last step writes the same once more', async () => {
    const bench = createExportBench();
    bench.addOrders(...orderIds(5));
    const first = await bench.begin('e-1');
    const late = sleepingBefore(bench, 'put', first);
    await late.asleep;
    bench.clock.advance(600_000);
    expect(await bench.run(first)).toMatchObject({ outcome: 'committed', facts: { fence: 2 } });
    const finished = bench.exported('e-1');
    bench.putItem({ ...bench.item(orderItemKey(USER, 'o-00000')), status: 'paid' });
    late.wake();
    expect(await late.ending).toMatchObject({ outcome: 'fenced' });
    expect(bench.exported('e-1')).toEqual(finished);
  });
});
