// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are code, and hold its templates
import { directedHunt, type Mutant } from '../mutant.ts';

const CIRCUIT = 'shared/breaker/circuit.ts';
const BREAKER = 'shared/breaker/circuit-breaker.ts';

/** What protects the provider. */
export const loadMutants: readonly Mutant[] = [
  {
    name: 'breaker counts declines',
    edits: [
      {
        file: 'shared/worker/call-guard.ts',
        from: "await ended('answered', clock.nowMs() - startedAtMs);",
        to: "await ended((answer as { status?: string }).status === 'declined' ? 'failed' : 'answered', clock.nowMs() - startedAtMs);",
      },
    ],
    killers: ['S16'],
    hunts: [directedHunt('many declines at once')],
  },
  {
    name: 'unlimited probes',
    edits: [
      {
        file: CIRCUIT,
        from: 'condition: { openings: { equals: openings }, retryAtMs: { atMost: nowMs }, probeUntilMs: { absentOrBelow: nowMs } },',
        to: 'condition: { openings: { equals: openings } },',
      },
      {
        file: CIRCUIT,
        from: 'if (row.probeUntilMs !== undefined && nowMs <= row.probeUntilMs)',
        to: 'if (row.probeUntilMs !== undefined && nowMs < 0)',
      },
      { file: BREAKER, from: '  if (breaker.racing) return lost;\n', to: '' },
      {
        file: BREAKER,
        from: '  return accepted ? undefined : { retryAfterMs: PROBE_RACE_MS * breaker.scale };\n',
        to: '  return accepted || owner !== "" ? undefined : { retryAfterMs: PROBE_RACE_MS * breaker.scale };\n',
      },
    ],
    killers: ['S16'],
    hunts: [directedHunt('provider away for minutes', 5)],
  },
  {
    name: 'limit per process only',
    edits: [
      {
        file: 'shared/rate-limit/slot-queue.ts',
        from: 'row: rateRow(parts.dependency),',
        to: 'row: `${rateRow(parts.dependency)}:${parts.random.fraction()}`,',
      },
    ],
    killers: ['S17'],
    hunts: [directedHunt('a rush of orders', 2)],
  },
];
