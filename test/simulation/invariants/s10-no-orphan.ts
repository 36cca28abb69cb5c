import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import { nameOfQueue } from '../network/labels.ts';
import { awaitedJob, imageOfReference, keyIn, referenceOf } from './item-views.ts';
import { bodiesOf, trackJobs } from './job-whereabouts.ts';

/** Looked for whenever one of the places may just have lost it, and at the end. What outsiders took away may be missing until the rest. */
export const noOrphan: Invariant = {
  id: 'S10',
  promise: 'every order that waits for a job has one in outbox, queue, flight, overdue index or dead-letter queue',
  watch(simulation, violate) {
    const { world, sqs } = simulation;
    const jobs = trackJobs(simulation);
    const references = new Set<string>();
    const check = (reference: string, when: string, except?: ReadonlySet<string>): void => {
      const image = imageOfReference(simulation, reference);
      const job = image && awaitedJob(reference, image);
      if (job === undefined || jobs.isExcused(job) || jobs.placesOf(job, except).length > 0) return;
      violate(`${reference} is ${image?.['status']} and ${job.key} is nowhere ${when}`);
    };
    const checkAll = (when: string): void => {
      for (const reference of references) check(reference, when);
    };
    return {
      ...jobs.track,
      itemWritten(written) {
        jobs.track.itemWritten(written);
        const reference = written.table === TABLES.state ? referenceOf(written.id) : undefined;
        if (reference === undefined) return;
        references.add(reference);
        check(reference, `after a write of ${written.by}`);
      },
      messageDeleted: (_, { body }) => {
        const reference = /^(?:capture|refund):(.+):\d+$/.exec(keyIn(body) ?? '')?.[1];
        if (reference !== undefined) check(reference, 'after its message was acknowledged');
      },
      queueCalled(call, by) {
        const { operation, input } = call;
        // The sweep derives jobs from states: what it finds of an order that nothing else knew of had been lost before.
        if (by.startsWith('sweep-state')) {
          const queueName = nameOfQueue(String(input.QueueUrl));
          const fresh = new Set(sqs.messages(queueName).flatMap(({ id, sentAtMs }) => (sentAtMs === world.nowMs ? [id] : [])));
          for (const key of bodiesOf(input).map(keyIn)) {
            const reference = /^(?:capture|refund):(.+):\d+$/.exec(key ?? '')?.[1];
            if (reference !== undefined) check(reference, 'before the sweep sent it again', fresh);
          }
        }
        jobs.track.queueCalled(call, by);
        if (operation.startsWith('DeleteMessage')) checkAll('after a letter was deleted');
      },
      rested() {
        jobs.endExcuses();
        checkAll('at rest');
      },
      finished: () => checkAll('in the end'),
    };
  },
};
