import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_AMOUNT_MINOR } from '#shared/domain/money.ts';
import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import { openSandbox, SLOW_ANSWER_MS } from './sandbox-bench.ts';

// Cases: B61, B62, B64.

let sandbox: ReturnType<typeof openSandbox>;
beforeEach(() => {
  sandbox = openSandbox();
});

const CAPTURED = '200 captured';
const NOT = 'not-captured';
/** What the first and the second call of one key get, and what asking says after each. */
const PROMISES: Record<keyof typeof MAGIC_AMOUNTS, [first: string, found: string, second: string, foundThen: string]> = {
  decline: ['200 declined', NOT, '200 declined', NOT],
  chargedButTimeout: ['504 gateway-timeout', 'captured', CAPTURED, 'captured'],
  chargedButTimeoutAlways: ['504 gateway-timeout', 'captured', '504 gateway-timeout', 'captured'],
  notChargedTimeout: ['504 gateway-timeout', NOT, CAPTURED, 'captured'],
  stored500: ['500 internal-error', NOT, '500 internal-error', NOT],
  slow: [CAPTURED, 'captured', CAPTURED, 'captured'],
  rateLimitedOnce: ['429 rate-limited', NOT, CAPTURED, 'captured'],
  unavailableOnce: ['503 unavailable', NOT, CAPTURED, 'captured'],
  keyInUseOnce: ['409 idempotency-key-in-use', NOT, CAPTURED, 'captured'],
  gatewayTimeoutAfterCharge: ['504 gateway-timeout', 'captured', CAPTURED, 'captured'],
  htmlAfterCharge: ['502 unreadable', 'captured', CAPTURED, 'captured'],
  cutOffAfterCharge: ['200 unreadable', 'captured', CAPTURED, 'captured'],
  wrongAmount: [CAPTURED, 'captured', CAPTURED, 'captured'],
  findUnavailable: ['504 gateway-timeout', 'unavailable', CAPTURED, 'unavailable'],
};

const brief = ({ status, json }: { status?: number | undefined; json: { status?: unknown; code?: unknown } | undefined }): string =>
  `${status} ${json?.code ?? json?.status ?? 'unreadable'}`;

describe('a magic amount', () => {
  it.each(Object.entries(PROMISES))('%s behaves as its table says, and never charges twice', async (name, promise) => {
    const { amountMinor } = MAGIC_AMOUNTS[name as keyof typeof MAGIC_AMOUNTS];
    const seen: string[] = [];
    for (let call = 1; call <= 2; call++) {
      seen.push(brief(await sandbox.capture('pi-1', 'k-1', amountMinor)));
      const found = await sandbox.find('pi-1');
      seen.push(found.json.code ?? found.json.status);
    }

    expect(seen).toEqual(promise);
    expect(await sandbox.captures()).toHaveLength(seen[2] === CAPTURED || seen[1] === 'captured' ? 1 : 0);
  });

  it('withholds an answer for longer than the client waits, and a slow one for less', async () => {
    await sandbox.capture('pi-1', 'k-1', MAGIC_AMOUNTS.chargedButTimeout.amountMinor);
    await sandbox.capture('pi-2', 'k-2', MAGIC_AMOUNTS.notChargedTimeout.amountMinor);
    await sandbox.capture('pi-3', 'k-3', MAGIC_AMOUNTS.slow.amountMinor);
    expect(sandbox.waits).toEqual([SLOW_ANSWER_MS, SLOW_ANSWER_MS, SLOW_ANSWER_MS / 3]);
  });

  it('has charged before it withholds', async () => {
    const release = sandbox.hold();
    const withheld = sandbox.capture('pi-1', 'k-1', MAGIC_AMOUNTS.chargedButTimeout.amountMinor);
    await expect.poll(() => sandbox.waits.length).toBe(1);

    expect((await sandbox.find('pi-1')).json.status).toBe('captured');
    expect(brief(await sandbox.capture('pi-1', 'k-1', MAGIC_AMOUNTS.chargedButTimeout.amountMinor))).toBe(CAPTURED);
    release();
    expect((await withheld).status).toBe(504);
  });

  it('asks for patience with Retry-After', async () => {
    const limited = await sandbox.capture('pi-1', 'k-1', MAGIC_AMOUNTS.rateLimitedOnce.amountMinor);
    const unavailable = await sandbox.capture('pi-2', 'k-2', MAGIC_AMOUNTS.unavailableOnce.amountMinor);
    expect([limited.headers['retry-after'], unavailable.headers['retry-after']]).toEqual(['7', '2']);
  });

  it('captures half where it promises the wrong amount, and says so everywhere', async () => {
    const { amountMinor } = MAGIC_AMOUNTS.wrongAmount;
    const half = Math.floor(amountMinor / 2);
    expect((await sandbox.capture('pi-1', 'k-1', amountMinor)).json.amountMinor).toBe(half);
    expect((await sandbox.find('pi-1')).json.amountMinor).toBe(half);
    expect(await sandbox.captures()).toEqual([expect.objectContaining({ amountMinor: half })]);
  });

  it('lies in the reserved range, is accepted as money and stands alone', () => {
    const amounts = Object.values(MAGIC_AMOUNTS).map(({ amountMinor }) => amountMinor);
    expect(new Set(amounts).size).toBe(amounts.length);
    expect(amounts.every((amount) => amount > 90_000_000 && amount < 90_000_100 && amount <= MAX_AMOUNT_MINOR)).toBe(true);
  });
});

it.each([1, 4999, 5999, 999_900, 90_000_000, 90_000_100, MAX_AMOUNT_MINOR])('an amount of %i is simply captured', async (amountMinor) => {
  expect(brief(await sandbox.capture('pi-1', 'k-1', amountMinor))).toBe(CAPTURED);
});
