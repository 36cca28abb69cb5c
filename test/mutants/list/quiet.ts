import { directedHunt, type Mutant } from '../mutant.ts';

const CAPTURE = 'shared/jobs/capture-payment.ts';
const STOCK = 'shared/jobs/adjust-stock.ts';
const SCHEDULE = 'shared/retry/schedule.ts';

/** What goes wrong without a trace in money or messages, unless somebody looks at the very thing. */
export const quietMutants: readonly Mutant[] = [
  {
    name: "the void's answer ignored at the key horizon",
    edits: [
      {
        file: CAPTURE,
        from: '  return decideOn(await input.ports.payments.void(request, { timeoutMs: input.dependencyTimeoutMs }), order, input);\n',
        to: "  await input.ports.payments.void(request, { timeoutMs: input.dependencyTimeoutMs });\n  return declinedFor('expired', order, input);\n",
      },
    ],
    killers: ['S12'],
    hunts: [directedHunt('a charge that the order has forgotten', 1)],
  },
  {
    name: 'refund called off early',
    edits: [
      {
        file: 'shared/jobs/refund-payment.ts',
        from: "  if (waitMs > 0) throw new Deferral('refund-about-to-expire', { retryAfterMs: waitMs });\n",
        to: "  if (waitMs > keyHorizonMs) throw new Deferral('refund-about-to-expire', { retryAfterMs: waitMs });\n",
      },
    ],
    killers: ['S12'],
    hunts: [directedHunt('refunds paused for a day', 1)],
  },
  {
    name: 'receipt of another amount',
    edits: [
      {
        file: CAPTURE,
        from: 'job(sendReceipt, { userId, orderId, attempt, amountMinor, currency, captureId })',
        to: 'job(sendReceipt, { userId, orderId, attempt, amountMinor: amountMinor * 100, currency, captureId })',
      },
    ],
    killers: ['S25'],
  },
  {
    name: 'stock below zero',
    edits: [
      {
        file: STOCK,
        from: "    if ((await ports.stock.quantityOf(sku)) + delta < 0) throw new PermanentError('stock-insufficient');\n",
        to: "    if ((await ports.stock.quantityOf(sku)) < 0) throw new PermanentError('stock-insufficient');\n",
      },
      {
        file: STOCK,
        from: "{ also: [{ ...stock, atLeast: { attribute: 'quantity', value: -delta } }] }",
        to: '{ also: [{ ...stock }] }',
      },
    ],
    killers: ['S26'],
    hunts: [directedHunt('more than there is in stock', 1)],
  },
  {
    name: 'export cut at its first step',
    edits: [
      {
        file: 'shared/jobs/export-orders.ts',
        from: '    if (part.length >= ORDERS_PER_STEP) {\n',
        to: '    if (part.length > ORDERS_PER_STEP) {\n',
      },
    ],
    killers: ['S27'],
    hunts: [directedHunt('an export of many orders', 1)],
  },
  {
    name: 'failed invalidations acknowledged',
    edits: [
      {
        file: 'functions/retry-invalidation/handler.ts',
        from: 'return { batchItemFailures: failed.map(',
        to: 'return { batchItemFailures: failed.slice(failed.length).map(',
      },
    ],
    killers: ['S4'],
    hunts: [directedHunt('a cache that cannot be cleared', 1)],
  },
  {
    name: 'a letter that was not sent',
    edits: [
      {
        file: 'shared/worker/conclude.ts',
        from: '  await sendLetter({ reason, detail, attempts, ending: endingOf(by, delivery, record) }, context);\n',
        to: '  await sendLetter({ reason, detail, attempts, ending: endingOf(by, delivery, record) }, context).catch(() => undefined);\n',
      },
    ],
    killers: ['S4'],
    hunts: [directedHunt('a letter that cannot be sent', 1)],
  },
  {
    name: 'declined order tried again at once',
    edits: [
      {
        file: 'shared/domain/key-horizon.ts',
        from: 'declinedAtMs + keyHorizonMs;',
        to: 'declinedAtMs + 0 * keyHorizonMs;',
      },
    ],
    killers: ['S17'],
    hunts: [directedHunt('a declined order tried again', 1)],
  },
  {
    name: 'deferrals of a second',
    edits: [
      {
        file: SCHEDULE,
        from: 'Math.min(LONGEST_DEFERRAL_MS, Math.max(SHORTEST_DEFERRAL_MS, ageMs / pace.scale));',
        to: 'Math.min(SHORTEST_DEFERRAL_MS / 10, Math.max(LONGEST_DEFERRAL_MS, ageMs / pace.scale));',
      },
    ],
    killers: ['S17'],
    hunts: [directedHunt('queue paused for a day', 1)],
  },
  {
    name: 'deferral of a second after a claim',
    edits: [
      {
        file: 'shared/worker/settlement.ts',
        from: 'ownDelayMs === undefined ? deferralDelayMs(messageAgeMs, pace, retryAfterMs) : jittered(ownDelayMs, pace);',
        to: 'ownDelayMs === undefined && retryAfterMs === messageAgeMs ? deferralDelayMs(messageAgeMs, pace, retryAfterMs) : jittered(1_000, pace);',
      },
    ],
    killers: ['S17'],
    hunts: [directedHunt('refunds paused for a day', 1)],
  },
  {
    name: 'cool-down that never doubles',
    edits: [{ file: 'shared/breaker/circuit.ts', from: '2 ** Math.max(0, openings - 1)', to: '2 ** Math.max(0, 0 * openings)' }],
    killers: ['S16'],
    hunts: [directedHunt('provider away for minutes', 3)],
  },
];
