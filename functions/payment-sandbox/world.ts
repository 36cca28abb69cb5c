import type { SandboxLedger } from '#shared/payments/sandbox-ledger.ts';
import type { Clock } from '#shared/runtime/clock.ts';
import type { Random } from '#shared/runtime/random.ts';

export interface SandboxWorld {
  readonly ledger: SandboxLedger;
  readonly clock: Clock;
  readonly random: Pick<Random, 'token'>;
  /** How long a withheld answer takes; longer than the client waits. */
  readonly slowAnswerMs: number;
  /** One line a request: names and numbers, no bodies. */
  readonly log: (line: Readonly<Record<string, unknown>>) => void;
}
