import { jobs } from '#shared/jobs/index.ts';
import { functionsOf, jobQueueOf } from '../../test/simulation/cloud/functions.ts';
import type { BudgetRow, Part } from '../report/part.ts';
import { formatSpread, type Spread, spreadOf } from '../report/spread.ts';
import { importTimes } from './import-time.ts';
import { type BundleSize, bundleAll } from './measure.ts';
import { writeBytes } from './recorded-bytes.ts';

const IMPORTS_A_RUN = 7;
const MOST_IMPORT_MS = 50;
const MOST_BYTES: Readonly<Record<string, number>> = { 'execute-job': 300_000, 'accept-order': 250_000, 'read-order': 250_000 };
const SHOWN_ORIGINS = 12;

interface Measured extends BundleSize {
  readonly importMs: Spread;
}

export const bundles: Part = {
  title: 'How large a function is, and how long it takes to load',
  timed: true,
  async run({ runs, record, say }) {
    const measured = await bundleAll((folder, size): Measured => {
      say(size.name);
      const times = importTimes(folder, { environment: environmentOf(size.name), times: runs * IMPORTS_A_RUN });
      return { ...size, importMs: spreadOf(times) };
    });
    if (record) writeBytes(measured);
    const judged = measured.filter(({ name }) => MOST_BYTES[name] !== undefined);
    return {
      budgets: judged.flatMap(budgetsOf),
      tables: [
        {
          title: 'Functions',
          head: ['Function', 'Loaded at start, bytes', 'With what is loaded on first use', 'Import, ms: p50 (least–most)'],
          rows: measured.map(({ name, startBytes, allBytes, importMs }) => [name, startBytes, allBytes, formatSpread(importMs, 1)]),
        },
        ...judged.map(originTable),
      ],
      charts: [
        {
          name: 'performance-bundles',
          title: 'Loaded at the start of a function',
          unit: 'bytes, minified',
          bars: measured.map(({ name, startBytes }) => ({ label: name, value: startBytes, ours: true })),
        },
      ],
      notes: [
        `Bundled as a deployment does it. Each import is a process of its own, ${runs * IMPORTS_A_RUN} of them, from the first statement to a handler that is wired, source maps enabled; Lambda's machines are other machines, so compare and do not take over.`,
      ],
    };
  },
};

function environmentOf(name: string): Readonly<Record<string, string>> {
  const functions = functionsOf(jobs.map(jobQueueOf));
  const definition = functions.get(name) ?? functions.get(`${name}/capture-payment`);
  return definition?.environment ?? { SANDBOX_TABLE: 'Sandbox', SLOW_ANSWER_MS: '40000' };
}

const budgetsOf = ({ name, startBytes, importMs }: Measured): BudgetRow[] => {
  const most = MOST_BYTES[name] ?? 0;
  return [
    {
      what: `${name}: bytes loaded at start`,
      budget: `≤ ${most.toLocaleString('en-GB')}`,
      measured: startBytes.toLocaleString('en-GB'),
      kept: startBytes <= most,
    },
    {
      what: `${name}: import, p50`,
      budget: `≤ ${MOST_IMPORT_MS} ms`,
      measured: `${formatSpread(importMs, 1)} ms`,
      kept: importMs.median <= MOST_IMPORT_MS,
    },
  ];
};

const originTable = ({ name, startBytes, from }: BundleSize) => ({
  title: `What takes the room in ${name}`,
  head: ['From', 'Bytes', 'Share'],
  rows: from.slice(0, SHOWN_ORIGINS).map(({ origin, bytes }) => [origin, bytes, `${((bytes / startBytes) * 100).toFixed(1)} %`]),
});
