import { sendBodies } from '../../aws/queues.ts';
import { orderEnds } from '../order-ends.ts';
import { waitFor } from '../patience.ts';
import { lettersOfRun } from '../quiet.ts';
import type { Scenario } from '../scenario.ts';
import { kept } from '../verdict.ts';
import { captureMessage, type DemoWorld, order } from '../world.ts';

/** Bodies no version of the pipeline can run; each carries the run's id to be found again. */
export const malformedBodies = ({ runId }: Pick<DemoWorld, 'runId'>): string[] => [
  `not JSON at all  ${runId}\té`,
  `[ "${runId}" ]`,
  JSON.stringify({
    kind: 'capture-payment',
    version: 1,
    idempotencyKey: `somebody-elses-key-${runId}`,
    payload: { userId: runId, orderId: 'none', attempt: 1 },
    enqueuedAt: '2026-01-01T00:00:00.000Z',
  }),
];

export const malformed: Scenario = {
  title: 'Malformed messages between good ones',
  promise: 'a malformed message goes to the dead-letter queue byte for byte and harms no neighbour',
  async run(world, tell) {
    const neighbours = await Promise.all(
      ['left', 'right'].map((side) => order(world, { key: `neighbour-${side}`, shows: 'neighbour of malformed messages' })),
    );
    const [left, right] = neighbours.map(captureMessage) as [string, string];
    const [first, second, third] = malformedBodies(world) as [string, string, string];
    await sendBodies(world.session.clients.sqs, world.captureQueueUrl, [first, left, second, right, third]);
    await Promise.all(neighbours.map((one) => orderEnds(world, one)));
    tell('the neighbours are paid; looking for the letters');
    const wanted = [first, second, third];
    const probe = async (): Promise<true | undefined> => {
      const letters = await lettersOfRun(world);
      return wanted.every((body) => letters.includes(body)) ? true : undefined;
    };
    await waitFor('the arrival of every malformed body in the dead-letter queue', probe, { limitMs: world.patienceMs, everyMs: 500 });
    const copies = (await lettersOfRun(world)).filter((body) => wanted.includes(body)).length;
    // A worker that dies between letter and acknowledgement sends the letter again; it may never be lost.
    const repeated = copies > wanted.length ? ` (${copies} with repeated deliveries)` : '';
    return kept(this.promise, `${wanted.length} letters, each as it was sent${repeated}; both neighbours paid`);
  },
};
