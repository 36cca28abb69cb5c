// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are code, and hold its templates
import { directedHunt, type Mutant } from '../mutant.ts';

const CAPTURE = 'shared/jobs/capture-payment.ts';
const RUN_JOB = 'shared/worker/run-job.ts';
const EXECUTION = 'shared/worker/job-execution.ts';
const SETTLEMENT = 'shared/worker/settlement.ts';
const ENDINGS = 'shared/payments/classify-response.ts';

/** A failed call taken for the provider's no. */
const declinedWhen = (test: string) => ({
  file: CAPTURE,
  from: 'const answer = await input.ports.payments.capture(captureRequest(current, input.key), { timeoutMs: input.dependencyTimeoutMs });',
  to: `const answer = await input.ports.payments
      .capture(captureRequest(current, input.key), { timeoutMs: input.dependencyTimeoutMs })
      .catch((error) => {
        if (${test}) return { status: 'declined' as const, reason: error.code };
        throw error;
      });`,
});

/** What the provider said, did not say, and is asked again under which key. */
export const outcomeMutants: readonly Mutant[] = [
  {
    name: 'provider key from time',
    edits: [{ file: CAPTURE, from: 'captureRequest(current, input.key)', to: 'captureRequest(current, `${input.key}:${input.nowMs}`)' }],
    killers: ['S11'],
  },
  {
    name: 'provider key from the message id',
    edits: [{ file: RUN_JOB, from: '    key: job.key,\n', to: '    key: `${job.key}:${run.delivery.messageId}`,\n' }],
    killers: ['S11'],
  },
  {
    name: 'provider key with the attempt number',
    edits: [{ file: CAPTURE, from: 'captureRequest(current, input.key)', to: 'captureRequest(current, `${input.key}:${input.attempt}`)' }],
    killers: ['S11'],
  },
  {
    name: 'provider key with the function name',
    edits: [{ file: RUN_JOB, from: '    key: job.key,\n', to: '    key: `${worker.definition.kind}/${job.key}`,\n' }],
    killers: ['S11'],
  },
  {
    name: 'payload changed in the handler',
    edits: [
      {
        file: EXECUTION,
        from: 'const hash = intentHash(definition.intent(job.payload));',
        to: 'const hash = intentHash({ ...definition.intent(job.payload), seenBefore: delivery.receiveCount - 1 });',
      },
    ],
    killers: ['S18', 'S4', 'L1', 'L7'],
  },
  {
    name: 'timeout read as decline',
    edits: [declinedWhen("error.code === 'provider-timeout'")],
    killers: ['S12'],
    hunts: [directedHunt('provider away for a day', 1)],
  },
  { name: '5xx read as decline', edits: [declinedWhen("String(error.code).startsWith('provider-answered-5')")], killers: ['S12'] },
  {
    name: 'decline retried',
    edits: [
      {
        file: CAPTURE,
        from: 'return declinedFor(answer.reason, current, input);',
        to: "throw new RetryableError(answer.reason, { sent: 'maybe' });",
      },
    ],
    killers: ['L7', 'S17', 'L5'],
    hunts: [directedHunt('many declines at once'), { by: 'simulation', story: 'many-users', seeds: 30, rate: 0 }],
  },
  {
    name: 'retry without jitter',
    edits: [{ file: 'shared/retry/schedule.ts', from: '(0.5 + fraction / 2)', to: '(1 + 0 * fraction)' }],
    killers: ['S17'],
    hunts: [{ by: 'simulation', story: 'provider silent for an hour', seeds: 6, bySpread: true }],
  },
  {
    name: 'no upper delay',
    edits: [
      {
        file: 'shared/retry/schedule.ts',
        from: 'Math.min(LONGEST_DEFERRAL_MS, Math.max(SHORTEST_DEFERRAL_MS, ageMs / pace.scale))',
        to: 'Math.max(LONGEST_DEFERRAL_MS * 0, SHORTEST_DEFERRAL_MS, ageMs / pace.scale)',
      },
    ],
    killers: ['S17'],
    hunts: [directedHunt('provider away for three hours')],
  },
  {
    name: 'Retry-After ignored',
    edits: [
      {
        file: ENDINGS,
        from: 'const wait = retryAfterMs(ending.retryAfter, ending.date);',
        to: 'const wait = retryAfterMs(null, ending.date);',
      },
    ],
    killers: ['S17'],
    hunts: [directedHunt('a provider that asks for patience')],
  },
  {
    name: 'deferral spends an attempt',
    edits: [{ file: SETTLEMENT, from: '    notSent: true,\n    deferred: true,\n', to: '    notSent: true,\n    deferred: false,\n' }],
    killers: ['S17', 'L7'],
  },
  {
    name: 'receive count used as attempt',
    edits: [
      {
        file: EXECUTION,
        from: '    holder,\n    image,\n    intentHash: hash,\n',
        to: '    holder,\n    image: { ...image, [`try:${target.operation}`]: delivery.receiveCount },\n    intentHash: hash,\n',
      },
    ],
    killers: ['S17'],
  },
  {
    name: 'backoff kept on the message only',
    edits: [
      {
        file: 'shared/item/settle.ts',
        from: '        [dueAttribute(operation)]: dueAtMs,\n',
        to: '        ...(dueAtMs < 0 ? { [dueAttribute(operation)]: dueAtMs } : {}),\n',
      },
    ],
    killers: ['S17'],
  },
  {
    name: 'reconciler refunds the unknown',
    edits: [
      {
        file: CAPTURE,
        from: '    return decideOn(found, current, input);\n',
        to: `    if (found.status !== 'captured') return decideOn(found, current, input);
    const { paymentIntentId, amountMinor, currency } = current;
    const request = { idempotencyKey: \`refund:\${input.key}\`, paymentIntentId, amountMinor, currency };
    await input.ports.payments.refund(request, { timeoutMs: input.dependencyTimeoutMs });
    return declinedFor('refunded', current, input);
`,
      },
    ],
    killers: ['S11', 'S12', 'S2'],
  },
  {
    name: 'reconciler charges with a new key',
    edits: [
      {
        file: CAPTURE,
        from: 'return isPastHorizon(current, input) ? closeIntent(current, input) : undefined;',
        to: 'return isPastHorizon(current, input) ? closeIntent(current, input) : paid(current, (await input.ports.payments.capture(captureRequest(current, `${input.key}:again`), { timeoutMs: input.dependencyTimeoutMs })) as Captured);',
      },
    ],
    killers: ['S11'],
  },
];
