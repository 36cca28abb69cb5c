import type { Spoiled, Unanswered } from '#shared/payments/magic-amounts.ts';
import { type Answer, problem, stored } from './answer.ts';
import type { SandboxWorld } from './world.ts';

/** The client has given up by then; if it has not, a 504 still tells it nothing. */
export async function withhold({ clock, slowAnswerMs }: SandboxWorld): Promise<Answer> {
  await clock.sleep(slowAnswerMs);
  return gatewayTimeout();
}

/** Given instead of an answer: nothing was charged and nothing is remembered. */
export async function unanswered(how: Unanswered, world: SandboxWorld): Promise<Answer> {
  switch (how) {
    case 'withheld':
      return withhold(world);
    case 'rate-limited':
      return problem(429, 'rate-limited', 'Too many requests. Wait as long as Retry-After says.', { 'retry-after': '7' });
    case 'unavailable':
      return problem(503, 'unavailable', 'The sandbox does not work just now. Wait as long as Retry-After says.', { 'retry-after': '2' });
    case 'key-in-use':
      return keyInUse();
  }
}

/** What is left of an answer on its way to the client. */
export async function spoil(answer: Answer, how: Spoiled, world: SandboxWorld): Promise<Answer> {
  switch (how) {
    case 'withheld':
      return withhold(world);
    case 'gateway-timeout':
      return gatewayTimeout();
    case 'bad-gateway-html':
      return { status: 502, headers: { 'content-type': 'text/html' }, body: '<html><body><h1>502 Bad Gateway</h1></body></html>' };
    case 'cut-off':
      return stored(answer.status, answer.body.slice(0, answer.body.length / 2));
  }
}

export const keyInUse = (): Answer =>
  problem(409, 'idempotency-key-in-use', 'Another request with this Idempotency-Key is running. Send this one again later.');

const gatewayTimeout = (): Answer =>
  problem(504, 'gateway-timeout', 'No answer in time. The request may have been carried out; ask before you send it again.');
