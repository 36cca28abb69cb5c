import { expect, test } from 'vitest';
import { jobOutputs, STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { jobs } from '#shared/jobs/index.ts';
import { output } from '../support/integration/deployment.ts';
import { invoke } from '../support/integration/lambda-api.ts';
import { logLines } from '../support/integration/log-lines.ts';
import { uniqueName } from '../support/integration/names.ts';
import { waitUntil } from '../support/integration/wait-until.ts';

// B87: what `cdk deploy` uploaded, loaded by plain Node with no node_modules beside it, and given an event.

const empty = { Records: [] };
const nothingFailed = { batchItemFailures: [] };

const batchFunctions: readonly string[] = [
  ...jobs.map(({ kind }) => jobOutputs(kind).functionName),
  STACK_OUTPUTS.dispatchOutboxFunction,
  STACK_OUTPUTS.retryOutboxFunction,
  STACK_OUTPUTS.invalidateCacheFunction,
  STACK_OUTPUTS.retryInvalidationFunction,
];

test.each(batchFunctions)('the bundle behind %s loads and takes an empty batch', async (name) => {
  expect(await invoke(output(name), empty)).toEqual({ failed: false, payload: nothingFailed });
});

test('the bundle behind accept-order loads and refuses a request without a key', async () => {
  const { failed, payload } = await invoke(output(STACK_OUTPUTS.acceptOrderFunction), {
    pathParameters: { userId: uniqueName('u') },
    headers: {},
    requestContext: { requestId: 'r' },
  });
  expect({ failed, payload }).toMatchObject({ failed: false, payload: { statusCode: 400 } });
});

test('the bundle behind read-order loads and finds no order of a user who has none', async () => {
  const { failed, payload } = await invoke(output(STACK_OUTPUTS.readOrderFunction), {
    rawPath: `/users/${uniqueName('u')}/orders/none`,
    requestContext: { requestId: 'r' },
  });
  expect({ failed, payload }).toMatchObject({ failed: false, payload: { statusCode: 404 } });
});

test('the bundle behind the payment sandbox loads and answers', async () => {
  const response = await fetch(`${output(STACK_OUTPUTS.sandboxUrl)}/payment-intents/${uniqueName('pi')}`);
  expect({ status: response.status, body: await response.json() }).toEqual({ status: 200, body: { status: 'not-captured' } });
});

test('a fault in a bundle is logged with the source file and not with the bundle', async () => {
  const functionName = output(STACK_OUTPUTS.retryInvalidationFunction);
  const sinceMs = Date.now();
  expect((await invoke(functionName, null)).failed).toBe(true);
  const trace = await waitUntil({ what: 'the stack trace in the log', withinMs: 10_000 }, async (note) => {
    const lines = await logLines(functionName, sinceMs);
    note(lines.slice(-20));
    return lines.find((line) => /\.ts:\d+/.test(line));
  });
  // Which of the folder's files: what is inlined is told as the file it was inlined into.
  expect(trace).toMatch(/functions\/retry-invalidation\/[a-z-]+\.ts:\d+/);
});
