import { expect, test } from 'vitest';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import type { DeadLetterPort } from '#shared/dead-letter/letter.ts';
import { rearmWrite } from '#shared/item/rearm.ts';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { createWorkerBench, USER } from '../../support/worker-bench.ts';

const rejected = (): ProviderError => new ProviderError('provider-rejected-request', { sent: 'no', permanent: true });

test('a worker held up after its letter does not mark the letter of a later run as out, whose message then brings it', async () => {
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  bench.payments.scripts.push({ throws: rejected() }, { throws: rejected() });
  const dying: DeadLetterPort = { send: () => Promise.reject(new Error('the process died')) };
  let replayed = false;
  const deadLetters: DeadLetterPort = {
    async send(sent, letter) {
      bench.letters.push({ body: sent, letter });
      if (replayed) return;
      replayed = true;
      // Meanwhile the letter is replayed: armed again, run, discarded again, and that run dies before its own letter.
      await bench.store.write(rearmWrite(orderItemKey(USER, 'ord-1'), 'capture:1'));
      bench.letters.pop();
      await bench.deliver(body, { world: { deadLetters: dying } }).catch(() => undefined);
    },
  };
  await bench.deliver(body, { world: { deadLetters } });
  expect(bench.order('ord-1')).toMatchObject({ 'op:capture:1': { status: 'discarded' }, overdueAtMs: expect.any(Number) });
  expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'dead-lettered' });
  expect(bench.letters).toHaveLength(1);
});
