import type { Part, ReportTable } from '../report/part.ts';
import { judgeCounts } from './budgets.ts';
import { claimsDelivered, MOST_ITEM_BYTES, measureOrderItems } from './order-item.ts';
import { countOutcomes, type OutcomeCount } from './outcomes.ts';
import { countAll, FULL_BATCH, writeRecord } from './record.ts';

export const counts: Part = {
  title: 'What a job writes, reads, asks and sends',
  timed: false,
  async run({ record, say }) {
    if (record) {
      writeRecord(await countAll());
      say('recorded cli/cost/outcome-counts.json');
    }
    const outcomes = await countOutcomes({ batch: FULL_BATCH });
    const items = await measureOrderItems();
    const claims = await claimsDelivered();
    const largest = Math.max(...items.map(({ bytes }) => bytes));
    const counted = judgeCounts(outcomes).map(({ outcome, of, most, is, kept }) => ({
      what: `${outcome}: ${of}`,
      budget: `≤ ${most}`,
      measured: String(is),
      kept,
    }));
    return {
      budgets: [
        ...counted,
        {
          what: 'bytes of an order with up to three finished operations',
          budget: `≤ ${MOST_ITEM_BYTES}`,
          measured: String(largest),
          kept: largest <= MOST_ITEM_BYTES,
        },
        { what: 'function runs set off by a claim', budget: '≤ 0', measured: String(claims), kept: claims === 0 },
      ],
      tables: [
        tableOf(outcomes),
        {
          title: 'The item of an order',
          head: ['When', 'Finished operations', 'Bytes'],
          rows: items.map(({ what, operations, bytes }) => [what, operations, bytes]),
        },
      ],
      charts: [],
      notes: [
        `The deployed handlers, wired as on Lambda, with the SDK and Powertools over state machines; a job's share of a batch of ${FULL_BATCH} (two for failures: five in a row open the circuit).`,
        'Units are counted from the bytes of the items: twice in a transaction, once more for each index entry that changes, and for a refused condition as for the write it refused.',
        'Control holds what a batch asks before it claims: pause, breaker, rate limit. It is shared by the jobs of a batch and by all batches of a second.',
      ],
    };
  },
};

function tableOf(outcomes: readonly OutcomeCount[]): ReportTable {
  return {
    title: 'For one job',
    head: [
      'Outcome',
      'State writes',
      'State reads',
      'Worker: State requests',
      'Other tables: writes',
      'reads',
      'SQS requests',
      'S3 requests',
      'Provider calls',
    ],
    rows: outcomes.map(({ what, entrance, pipeline, worker, providerCalls }) => {
      const state = (name: 'read' | 'write'): number => (entrance.tables['State']?.[name] ?? 0) + (pipeline.tables['State']?.[name] ?? 0);
      const others = (name: 'read' | 'write'): number =>
        Object.entries(pipeline.tables).reduce((sum, [table, use]) => sum + (table === 'State' ? 0 : use[name]), 0);
      return [
        what,
        short(state('write')),
        short(state('read')),
        short(worker.tables['State']?.requests ?? 0),
        short(others('write')),
        short(others('read')),
        short(pipeline.queueRequests + pipeline.fifoRequests),
        short(pipeline.objectReads + pipeline.objectWrites),
        short(providerCalls),
      ];
    }),
  };
}

const short = (value: number): number => Math.round(value * 100) / 100;
