import { describe, expect, test } from 'vitest';
import { createHandler } from '../../../functions/accept-export/handler.ts';
import { createExportBench, idsOf, orderIds } from './export-bench.ts';

describe('POST /users/{userId}/exports', () => {
  test('begins an export, says what it is called and where it will be, and runs it', async () => {
    const bench = createExportBench();
    bench.addOrders(...orderIds(3));
    const { status, body } = await bench.request('k-1');
    expect(status).toBe(202);
    expect(body['exportId']).toMatch(/^[0-9a-f]{32}$/);
    expect(body).toEqual({ userId: 'u-1', exportId: body['exportId'], object: `exports/u-1/${body['exportId']}/orders.jsonl` });
    await bench.runAll(bench.newMessages());
    expect(
      idsOf(
        bench.objects.stored
          .get(body['object'] ?? '')
          ?.split('\n')
          .slice(0, -1),
      ),
    ).toEqual(orderIds(3));
  });

  test('repeated, before and after the export ran, is the same export and begins nothing', async () => {
    const bench = createExportBench();
    const first = await bench.request('k-1');
    expect(await bench.request('k-1')).toEqual({ ...first, status: 200 });
    expect(bench.newMessages()).toHaveLength(1);
    await bench.runAll([JSON.stringify(messageOf(bench, first.body['exportId'] ?? ''))]);
    expect(await bench.request('k-1', '{}')).toEqual({ ...first, status: 200 });
    expect(bench.newMessages()).toEqual([]);
    expect((await bench.request('k-2')).body['exportId']).not.toBe(first.body['exportId']);
  });

  // B53
  test('whose answer was lost on the way from the table is still new', async () => {
    const bench = createExportBench();
    let lost = 1;
    bench.aws.fault = () => (lost-- > 0 ? 'apply-then-lose-answer' : undefined);
    expect((await bench.request('k-1')).status).toBe(202);
    expect(bench.newMessages()).toHaveLength(1);
  });

  test.each([
    [{ pathParameters: { userId: 'u/1' } }, 'invalid-user-id'],
    [{ headers: {} }, 'idempotency-key-missing'],
    [{ body: '{"since":"2026"}' }, 'invalid-request'],
    [{ body: 'x' }, 'body-not-json'],
  ])('with %j is refused in words and writes nothing', async (change, code) => {
    const bench = createExportBench();
    const answer = await handlerOf(bench)({
      pathParameters: { userId: 'u-1' },
      headers: { 'Idempotency-Key': 'k' },
      isBase64Encoded: false,
      requestContext: { requestId: 'r' },
      ...change,
    } as never);
    expect([answer.statusCode, JSON.parse(answer.body ?? '{}')]).toMatchObject([400, { code }]);
    expect(bench.aws.calls).toEqual([]);
  });

  test('that got no answer from the table asks for the same request again', async () => {
    const bench = createExportBench();
    bench.aws.fault = () => ({ error: 'InternalServerError', status: 500 });
    const { status, body } = await bench.request('k-1');
    expect([status, body['code']]).toEqual([503, 'export-not-confirmed']);
  });
});

const handlerOf = ({ store, clock, worker }: ReturnType<typeof createExportBench>) =>
  createHandler({ store, clock, random: worker().random, log: () => undefined, logFailure: () => undefined });

/** The message as the job's own item keeps it, for a rescue that finds nothing else. */
const messageOf = (bench: ReturnType<typeof createExportBench>, exportId: string): unknown =>
  JSON.parse(String(bench.item({ pk: `JOB#export-orders#export:u-1/${exportId}:1`, sk: 'JOB' })?.['message']));
