import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { createHandler } from '../../../functions/payment-sandbox/handler.ts';
import { createChance, seedFor } from '../kernel/chance.ts';
import { createProcess } from '../kernel/process.ts';
import { type CarryFault, carry, type Network } from '../network/carry.ts';
import { PROCESS_FAULTS, PROVIDER_FAULTS, type ProviderFault } from '../network/fault.ts';
import type { MemoryLedger } from './memory-ledger.ts';

/** A request as it reached the provider. */
export interface ProviderCall {
  readonly operation: 'capture' | 'find' | 'void' | 'refund';
  readonly paymentIntentId: string;
  readonly key: string | undefined;
  readonly body: string;
  readonly atMs: number;
  /** Who sent it, by the name of its process. */
  readonly from: string;
  readonly sentAtMs: number;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  /** As it left the provider, or what a fault made of it. */
  readonly body?: string | undefined;
}

export interface ProviderParts {
  readonly network: Network;
  readonly ledger: MemoryLedger;
  readonly onCall: (call: ProviderCall) => void;
  readonly onAnswer: (call: ProviderCall, answer: ProviderAnswer) => void;
}

export type Fetch = (request: Request) => Promise<Response>;

/** Longer than a worker waits for one answer. */
const SLOW_ANSWER_MS = 40_000;

/**
 * The way to the provider and back, for the functions of one kind. The provider is the real sandbox over a memory of its own; it
 * never dies, and time passes for it as for everybody.
 */
export function createProviderFetch({ network, ledger, onCall, onAnswer }: ProviderParts): (who: string) => Fetch {
  const { world } = network;
  const service = createProcess('provider');
  let tokens = 0;
  const handle = createHandler({
    ledger,
    clock: { nowMs: () => world.nowMs, sleep: (durationMs) => world.sleep(durationMs) },
    random: { token: () => `t${++tokens}` },
    slowAnswerMs: SLOW_ANSWER_MS,
    log: () => undefined,
  });
  return (who) => async (request) => {
    const call = { ...(await read(request)), from: world.current?.name ?? who, sentAtMs: world.nowMs };
    const label = `${who} ${call.operation} at the provider`;
    const fault = network.faults.strike(label, possibleFaults(call.operation));
    const carried = carry(network, {
      label,
      fault: fault as CarryFault | undefined,
      timeoutMs: undefined,
      apply: () =>
        new Promise<APIGatewayProxyStructuredResultV2>((resolve) => {
          const work = async (): Promise<void> => {
            const arrived = { ...call, atMs: world.nowMs };
            onCall(arrived);
            const answer = await answerWith(
              fault,
              () => handle(eventOf(request, call)) as Promise<APIGatewayProxyStructuredResultV2>,
              network,
            );
            onAnswer(arrived, { status: Number(answer.statusCode), retryAfterSeconds: retryAfterOf(answer), body: answer.body });
            resolve(answer);
          };
          world.after(0, () => void work(), service);
        }),
    });
    const outcome = await orAborted(carried, request.signal);
    if ('failed' in outcome) throw connectionError(outcome.failed);
    const { statusCode = 200, headers = {}, body = '' } = outcome.answer;
    return new Response(body, { status: Number(statusCode), headers: headers as Record<string, string> });
  };
}

function possibleFaults(operation: ProviderCall['operation']): readonly ProviderFault[] {
  const all = [...PROVIDER_FAULTS, ...PROCESS_FAULTS];
  if (operation === 'capture') return all;
  return all.filter((fault) => fault !== 'wrong-amount' && (operation !== 'find' || fault !== 'server-error-applied'));
}

type Answer = APIGatewayProxyStructuredResultV2;

async function answerWith(fault: ProviderFault | undefined, handle: () => Promise<Answer>, { world }: Network): Promise<Answer> {
  switch (fault) {
    case 'rate-limited':
      return { statusCode: 429, headers: { 'retry-after': String(world.chance.whole(1, 90)) }, body: '{}' };
    case 'server-error':
      return { statusCode: 500, body: '{}' };
    case 'unavailable':
      return { statusCode: 503, headers: { 'retry-after': '2' }, body: '{}' };
    case 'server-error-applied':
      await handle();
      return { statusCode: 500, body: '{}' };
    case 'slow':
      await world.sleep(SLOW_ANSWER_MS);
      return handle();
    case 'cut-off': {
      const whole = await handle();
      return { ...whole, body: (whole.body ?? '').slice(0, 12) };
    }
    case 'wrong-amount': {
      const whole = await handle();
      return { ...whole, body: ofOtherMoney(whole.body ?? '', world) };
    }
    default:
      return handle();
  }
}

/** One more of it, or as much of another currency; drawn apart from all else. */
function ofOtherMoney(body: string, { seed, nowMs }: Network['world']): string {
  if (createChance(seedFor(seed, `wrong answer at ${nowMs}`)).happens(0.5)) return body.replace(/"currency":"\w+"/, '"currency":"USD"');
  return body.replace(/"amountMinor":(\d+)/, (_, amount) => `"amountMinor":${Number(amount) + 1}`);
}

async function read(request: Request): Promise<Omit<ProviderCall, 'atMs' | 'from' | 'sentAtMs'>> {
  const [, paymentIntentId = '', operation] = /\/payment-intents\/([^/]+)(?:\/(\w+))?$/.exec(new URL(request.url).pathname) ?? [];
  return {
    operation: (operation ?? 'find') as ProviderCall['operation'],
    paymentIntentId: decodeURIComponent(paymentIntentId),
    key: request.headers.get('idempotency-key') ?? undefined,
    body: request.method === 'POST' ? await request.text() : '',
  };
}

const eventOf = ({ url, method }: Request, { key, body }: Pick<ProviderCall, 'key' | 'body'>): APIGatewayProxyEventV2 =>
  ({
    rawPath: new URL(url).pathname,
    rawQueryString: '',
    headers: key === undefined ? {} : { 'idempotency-key': key },
    requestContext: { http: { method } },
    body: body === '' ? undefined : body,
    isBase64Encoded: false,
  }) as unknown as APIGatewayProxyEventV2;

const retryAfterOf = ({ headers = {} }: Answer): number | undefined => {
  const value = headers['retry-after'];
  return value === undefined ? undefined : Number(value);
};

const connectionError = (how: 'refused' | 'reset' | 'timed-out'): Error => {
  const cause = Object.assign(new Error(how), { code: how === 'refused' ? 'ECONNREFUSED' : 'ECONNRESET' });
  return Object.assign(new TypeError('fetch failed'), { cause });
};

/** The caller's own time limit ends the wait, whatever the other side still does. */
function orAborted<T>(waiting: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise<T>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    waiting.then(resolve, reject);
  });
}
