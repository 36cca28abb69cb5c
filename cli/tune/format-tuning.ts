import { bad, doubtful, good, quiet, strong } from '../output/paint.ts';
import { formatTable } from '../output/table.ts';
import { LEAST_RUNS, type Proposal, type ProposedValue, type Verdict } from './propose.ts';
import type { LoadProposal } from './propose-load.ts';

export interface Tuning {
  readonly stage: string;
  readonly sinceMs: number;
  readonly timeScale: number;
  readonly rateLimits: Readonly<Record<string, number>>;
  readonly proposals: readonly (Proposal & { readonly dependency: string | null })[];
  readonly load: readonly LoadProposal[];
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  'too-little-data': quiet('too little data'),
  fits: good('fits'),
  'too-tight': bad('too tight'),
  'too-loose': doubtful('too loose'),
};

export function formatTuning({ timeScale, proposals, load, rateLimits }: Tuning): string {
  const rows = proposals.map(({ kind, measured, verdict }) => [
    kind,
    measured.healthyRuns,
    ms(measured.p50Ms),
    ms(measured.p99Ms),
    ms(measured.longestMs),
    VERDICTS[verdict],
  ]);
  return [
    formatTable(['Kind', 'Healthy runs', 'p50', 'p99', 'Longest', 'Verdict'], rows),
    '',
    quiet('A run is measured from the gate to the acknowledgement: claim, calls, commit.'),
    '',
    formatTable(
      ['Of', 'Value', 'Declared', 'Proposed', 'Measured'],
      [
        ...proposals.flatMap(({ kind, values }) => values.map((value) => valueRow(kind, value))),
        ...load.flatMap(({ dependency, values }) => values.map((value) => valueRow(dependency, value))),
      ],
    ),
    ...(timeScale === 1
      ? []
      : [
          doubtful(
            `Declared and proposed times are as the code has them; this stage multiplies them by ${timeScale}: measure where it will run before you edit.`,
          ),
        ]),
    ...proposals.flatMap(describeProposal),
    ...proposals.flatMap((proposal) => describeLoad(proposal, rateLimits)),
    ...(proposals.every(({ verdict }) => verdict === 'too-little-data')
      ? [`Too little was run to propose anything: ${LEAST_RUNS} healthy runs of a kind are needed. Look further back with --since.`]
      : []),
  ].join('\n');
}

const valueRow = (of: string, { name, now, proposed, because }: ProposedValue): string[] => [
  of,
  name,
  now.toLocaleString('en-GB'),
  proposed === null ? quiet('keep') : strong(proposed.toLocaleString('en-GB')),
  because,
];

const ms = (value: number | null): string => (value === null ? '–' : `${Math.round(value)} ms`);

function describeProposal({ kind, edit, derived }: Proposal): string[] {
  if (edit === null || derived === null) return [];
  const { functionTimeoutSeconds, leaseDurationMs, visibilityTimeoutSeconds } = derived;
  return [
    '',
    `${kind}: edit ${edit}`,
    quiet(
      `  then function timeout ${functionTimeoutSeconds} s, lease ${leaseDurationMs / 1_000} s, visibility timeout ${visibilityTimeoutSeconds} s in this stage`,
    ),
  ];
}

function describeLoad({ kind, measured, dependency }: Tuning['proposals'][number], rateLimits: Tuning['rateLimits']): string[] {
  const { runs, timedOut, rateLimited, circuitOpen, mostPerSecond } = measured;
  const limit = dependency === null ? undefined : rateLimits[dependency];
  return [
    ...(timedOut === 0
      ? []
      : [
          bad(
            `${kind}: ${timedOut} of ${runs} runs had no answer in time. The measured p99 leaves them out: find out why before you shorten anything.`,
          ),
        ]),
    ...(circuitOpen === 0
      ? []
      : [doubtful(`${kind}: ${circuitOpen} of ${runs} were put off by an open circuit; the breaker opens after five failures in a row.`)]),
    ...(rateLimited === 0
      ? []
      : [
          doubtful(
            `${kind}: ${rateLimited} of ${runs} were put off by the rate limit (${limit ?? '?'} calls/s, at most ${mostPerSecond} runs began in a second). Raise rateLimits in infra/settings.ts if the provider allows more.`,
          ),
        ]),
  ];
}
