import * as z from 'zod';
import type { Fault } from '#shared/payments/sandbox-ledger.ts';
import { type Answer, json, problem } from './answer.ts';
import { readBody } from './read-call.ts';
import type { SandboxRequest } from './read-request.ts';
import { withhold } from './withheld.ts';
import type { SandboxWorld } from './world.ts';

/**
 * An outage of the whole provider, switched on from outside and over by itself. Every call on a payment intent meets it:
 * `refuse` turns calls away before anything is looked at (429, so they are known not to have been acted on), `503` fails
 * them, `hang` withholds the answer. None of them charges or remembers anything. Looking at captures is not affected.
 */
const fault = z.strictObject({ mode: z.enum(['refuse', 'hang', '503', 'none']), untilMs: z.int().min(0).default(0) });

export async function switchFault({ body }: SandboxRequest, { ledger }: SandboxWorld): Promise<Answer> {
  const parsed = readBody(body, fault);
  if ('refusal' in parsed) return parsed.refusal;
  await ledger.writeFault(parsed.body);
  return json(200, parsed.body);
}

export const showFault = async (world: SandboxWorld): Promise<Answer> => json(200, await presentFault(world));

/** @returns what a call gets during an outage, nothing when there is none */
export async function outageAnswer(world: SandboxWorld): Promise<Answer | undefined> {
  switch ((await presentFault(world)).mode) {
    case 'refuse':
      return problem(429, 'rate-limited', 'The sandbox refuses every call until its fault is over.', { 'retry-after': '1' });
    case '503':
      return problem(503, 'unavailable', 'The sandbox fails every call until its fault is over.');
    case 'hang':
      return withhold(world);
    case 'none':
      return undefined;
  }
}

async function presentFault({ ledger, clock }: SandboxWorld): Promise<Fault> {
  const stored = await ledger.readFault();
  return stored === undefined || stored.untilMs <= clock.nowMs() ? { mode: 'none', untilMs: 0 } : stored;
}
