import type { Process } from '../kernel/process.ts';
import type { World } from '../kernel/world.ts';
import type { Faults, ProcessFault } from './fault.ts';

/** How a request can end besides as usual, whatever it asks for. */
export type CarryFault = ProcessFault | 'refused' | 'dropped' | 'answer-lost' | 'late';

export interface Carried<Answer> {
  readonly label: string;
  /** Already drawn; what is not a matter of carrying is the request's own affair. */
  readonly fault: string | undefined;
  /** The caller gives up then; undefined when it does so by itself. */
  readonly timeoutMs: number | undefined;
  /** What the other side does with it, at the instant it arrives. */
  apply(): Answer | Promise<Answer>;
}

/** The connection failed; `how` says when. */
export interface CarryFailure {
  readonly failed: 'refused' | 'reset' | 'timed-out';
}

export interface Network {
  readonly world: World;
  readonly faults: Faults;
  kill(process: Process, why: string): void;
}

/** Longer than any lease, so that a successor has the item by the time the frozen one wakes up. */
const FREEZE_MS = { shortest: 30_000, longest: 150_000 };
const LATE_MS = { shortest: 500, longest: 20_000 };

/**
 * Takes one request to the other side and its answer back, in virtual time. What has left is applied even when its sender dies; a
 * dead sender gets no answer.
 */
export function carry<Answer>(network: Network, request: Carried<Answer>): Promise<{ answer: Answer } | CarryFailure> {
  const { world } = network;
  const process = world.current;
  const { fault, timeoutMs } = request;
  return new Promise((resolve) => {
    const settle = (outcome: { answer: Answer } | CarryFailure, delayMs: number): void =>
      void world.after(delayMs, () => resolve(outcome), process);
    const freeze = (): void => {
      if (process !== undefined) process.frozenUntilMs = world.nowMs + world.chance.between(FREEZE_MS.shortest, FREEZE_MS.longest);
    };
    if (fault === 'crash-before' && process !== undefined) return network.kill(process, `before ${request.label}`);
    if (fault === 'refused') return settle({ failed: 'refused' }, 1);
    if (timeoutMs !== undefined && (fault === 'dropped' || fault === 'late')) settle({ failed: 'timed-out' }, timeoutMs);
    if (fault === 'dropped') return;
    const arrive = async (): Promise<void> => {
      const answer = await request.apply();
      if (fault === 'late') return;
      if (fault === 'crash-after' && process !== undefined) return network.kill(process, `after ${request.label}`);
      if (fault === 'freeze-after') freeze();
      if (fault === 'answer-lost') return settle({ failed: 'reset' }, latencyMs(world));
      settle({ answer }, latencyMs(world));
    };
    if (fault === 'freeze-before') {
      freeze();
      return void world.after(0, () => void world.after(latencyMs(world), () => void arrive()), process);
    }
    const onTheWayMs =
      fault === 'late' ? (timeoutMs ?? 10_000) + world.chance.between(LATE_MS.shortest, LATE_MS.longest) : latencyMs(world);
    world.after(onTheWayMs, () => void arrive());
  });
}

const latencyMs = ({ chance }: World): number => (chance.happens(0.02) ? chance.between(20, 400) : chance.between(1, 6));
