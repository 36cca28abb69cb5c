import { PROBE_CLAIM_MS } from '#shared/breaker/circuit.ts';
import { breakerRow } from '#shared/control/rows.ts';
import { scriptOf } from '#shared/payments/magic-amounts.ts';
import type { Invariant } from '../invariant.ts';
import type { Process } from '../kernel/process.ts';
import type { ItemWritten } from '../observer.ts';
import type { ProviderCall } from '../provider/provider-requests.ts';
import type { Simulation } from '../simulation.ts';
import { numberOf } from './item-views.ts';

const ROW = breakerRow('payment-provider');
/** A process reads the row at most once a second, and an answer travels a little. */
const UNHEARD_MS = 1_000 + 100;
/** An answer that takes this long may have been given up by its caller. */
const SLOW_MS = 2_500;
/** A failure counts for a minute; the call behind it may have begun well before. */
const FAILURES_MS = 5 * 60_000;
const FAILURES_TO_OPEN = 5;
const FAILURES_TO_OPEN_AGAIN = 2;

type State = 'closed' | 'closing' | 'open' | 'half-open';

interface Phase {
  readonly atMs: number;
  readonly state: State;
  readonly prober: string | undefined;
  readonly probeOwner: string | undefined;
  /** Calls of the one that may try. */
  probes: number;
}

/**
 * Judged by the row in the Control table and by when calls left. A process that was frozen could not know, so each call is judged
 * once its process shows when it last stood still.
 */
export const breaker: Invariant = {
  id: 'S16',
  promise:
    'an open circuit lets no call out once its instance can know of it, a half-open one lets one probe; declines never open it, and each opening in a row lasts twice as long, up to five minutes',
  watch(simulation, violate) {
    const phases: Phase[] = [{ atMs: 0, state: 'closed', prober: undefined, probeOwner: undefined, probes: 0 }];
    const failures = createFailures(simulation);
    const unjudged = new Map<string, ProviderCall[]>();
    const dead = new Map<string, Process>();
    /** Probers whose place was taken by one whose clock is ahead, and until when each still holds it by its own clock. */
    const ousted = new Map<string, number>();
    const judge = (call: ProviderCall, process: Process): void => {
      if (call.sentAtMs + process.clockAheadMs > (ousted.get(call.from) ?? 0)) judgeCall(call, process, phases, violate);
    };
    return {
      itemWritten(written) {
        if (written.table !== 'Control' || written.id !== ROW) return;
        const before = phases.at(-1) as Phase;
        const phase = phaseOf(written);
        const wrong = coolDownFault(written) ?? takeOverFault(written);
        if (wrong !== undefined) violate(`${written.by} ${wrong}`);
        if (phase.state === before.state && phase.probeOwner === before.probeOwner) return;
        phases.push(phase);
        if (phase.state === 'half-open' && before.prober !== undefined) ousted.set(before.prober, numberOf(written.old, 'probeUntilMs'));
        if (phase.state !== before.state) simulation.happened(`breaker ${phase.state}`);
        const opens = phase.state === 'open' && (before.state === 'closed' || before.state === 'closing');
        if (!opens || written.by === undefined) return;
        const needed = before.state === 'closed' ? FAILURES_TO_OPEN : FAILURES_TO_OPEN_AGAIN;
        const seen = failures.since(written.by, written.atMs - FAILURES_MS);
        if (seen < needed) violate(`${written.by} opened the circuit after ${seen} failed calls; declines and answers do not count`);
      },
      providerCalled(call) {
        failures.began(call);
        const sender = dead.get(call.from);
        if (sender !== undefined) return judge(call, sender);
        const calls = unjudged.get(call.from);
        if (calls === undefined) unjudged.set(call.from, [call]);
        else calls.push(call);
      },
      providerAnswered: (call, { status }) => failures.answered(call, status),
      invocationEnded(_functionName, process) {
        for (const call of unjudged.get(process.name) ?? []) judge(call, process);
        unjudged.delete(process.name);
        if (process.dead) dead.set(process.name, process);
      },
    };
  },
};

function phaseOf({ next, by, atMs }: ItemWritten): Phase {
  const state = (next?.['state'] ?? 'closed') as State;
  const probeOwner = next?.['probeOwner'] as string | undefined;
  return { atMs, state, prober: state === 'half-open' ? by : undefined, probeOwner, probes: 0 };
}

const SHORTEST_COOL_DOWN_MS = 15_000;
const LONGEST_COOL_DOWN_MS = 300_000;

/** Both instants are the writer's own, so its clock does not matter. Whether a closing circuit has healed is for that clock to say. */
function coolDownFault({ old, next }: ItemWritten): string | undefined {
  if (next?.['state'] !== 'open' || old?.['state'] === 'open') return undefined;
  const inARow = numberOf(old, 'openings') + 1;
  const possible = old?.['state'] === 'closing' ? [1, inARow] : [inARow];
  const coolDownMs = numberOf(next, 'retryAtMs') - numberOf(next, 'openedAtMs');
  const isRight = possible.some((openings) => coolDownMs === Math.min(LONGEST_COOL_DOWN_MS, SHORTEST_COOL_DOWN_MS * 2 ** (openings - 1)));
  return isRight ? undefined : `opens the circuit for the ${inARow}. time in a row, for ${coolDownMs / 1000} s`;
}

/** What the writer's own clock said is in what it wrote. */
function takeOverFault({ old, next }: ItemWritten): string | undefined {
  if (old?.['state'] !== 'half-open' || next?.['state'] !== 'half-open' || old['probeOwner'] === next['probeOwner']) return undefined;
  const heldForMs = numberOf(old, 'probeUntilMs') - (numberOf(next, 'probeUntilMs') - PROBE_CLAIM_MS);
  return heldForMs < 0 ? undefined : `took the one probe from another, who had it for ${heldForMs} ms more`;
}

function judgeCall({ operation, from, sentAtMs }: ProviderCall, process: Process, phases: Phase[], violate: (how: string) => void): void {
  const index = phases.findLastIndex(({ atMs }) => atMs <= sentAtMs);
  const phase = phases[index];
  if (phase === undefined || phase.state === 'closed' || phase.state === 'closing') return;
  const lastPassable = phases.slice(0, index).findLastIndex(({ state }) => state === 'closed' || state === 'closing');
  const shutMs = sentAtMs - (phases[lastPassable + 1] as Phase).atMs;
  if (shutMs <= UNHEARD_MS || process.frozenUntilMs > sentAtMs - UNHEARD_MS) return;
  const what = `${from} sent a ${operation} ${Math.round(shutMs)} ms after the circuit had opened`;
  if (phase.state === 'open') return violate(what);
  if (from !== phase.prober) return violate(`${what}, while ${phase.prober} was the one to try it`);
  phase.probes++;
  if (phase.probes > 1) violate(`${what}, as call ${phase.probes} of one probe`);
}

/** Calls that may count against the provider, generously: only an opening without any is a fault. */
function createFailures({ faults, world }: Simulation) {
  const clean = new Set<ProviderCall>();
  const calls: ProviderCall[] = [];
  return {
    began: (call: ProviderCall): void => void calls.push(call),
    answered(call: ProviderCall, status: number): void {
      const refusedForGood = status >= 500 || [401, 403, 404, 405].includes(status);
      const isPrompt = world.nowMs - call.sentAtMs < SLOW_MS;
      if (!refusedForGood && isPrompt && !isSpoilt(call)) clean.add(call);
    },
    since(by: string, sinceMs: number): number {
      const who = by.split('#')[0] ?? by;
      while (calls[0] !== undefined && calls[0].sentAtMs < sinceMs) clean.delete(calls.shift() as ProviderCall);
      const injected = faults.injected.filter(
        ({ label, atMs }) => atMs >= sinceMs && label.startsWith(`${who} `) && label.endsWith(' at the provider'),
      );
      return injected.length + calls.filter((call) => call.from.startsWith(who) && !clean.has(call)).length;
    },
  };
}

/** The sandbox cuts some answers off by itself; the status tells nothing of it. */
const isSpoilt = ({ body }: ProviderCall): boolean => scriptOf(Number(/"amountMinor":(\d+)/.exec(body)?.[1])).answer !== undefined;
