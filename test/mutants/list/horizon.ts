// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are code, and hold its templates
import { directedHunt, type Mutant } from '../mutant.ts';

const CAPTURE = 'shared/jobs/capture-payment.ts';

const IGNORES_HORIZON = {
  file: CAPTURE,
  from: '    if (isPastHorizon(current, input)) return closeIntent(current, input);\n',
  to: '',
};

/** What is done when the provider is about to forget a key. */
export const horizonMutants: readonly Mutant[] = [
  {
    name: 'past the key horizon it charges without asking',
    edits: [
      IGNORES_HORIZON,
      {
        file: CAPTURE,
        from: "  async ask(input) {\n    const current = currentIntent(input);\n    if ('answer' in current) return current;\n",
        to: "  async ask(input) {\n    const current = currentIntent(input);\n    if ('answer' in current) return current;\n    if (isPastHorizon(current, input)) return undefined;\n",
      },
    ],
    killers: ['S12', 'S11', 'S1', 'Q3'],
    hunts: [directedHunt('provider away for a day', 1)],
  },
  {
    name: 'charging call past the horizon',
    edits: [IGNORES_HORIZON],
    killers: ['S11'],
    hunts: [directedHunt('queue paused for a day', 1)],
  },
  {
    name: 'horizon counted from the first try',
    edits: [
      {
        file: 'shared/item/claim.ts',
        from: 'setIfAbsent: { [intentAttribute(operation)]: intentHash, version: 0 },',
        to: 'setIfAbsent: { [intentAttribute(operation)]: intentHash, version: 0, [`first-${operation}`]: nowMs },',
      },
      {
        file: CAPTURE,
        from: 'const isPastHorizon = ({ intentAtMs }: Order, { nowMs, keyHorizonMs }: RunInput<unknown>): boolean =>\n  nowMs >= lastCallAtMs(intentAtMs, keyHorizonMs);',
        to: 'const isPastHorizon = ({ attempt }: Order, { nowMs, keyHorizonMs, item }: RunInput<unknown>): boolean =>\n  nowMs >= lastCallAtMs(Number(item[`first-capture:${attempt}`]), keyHorizonMs);',
      },
    ],
    killers: ['S11'],
    hunts: [directedHunt('queue paused for a day', 1)],
  },
  {
    name: 'intent not voided before it expires',
    edits: [
      {
        file: CAPTURE,
        from: '  return decideOn(await input.ports.payments.void(request, { timeoutMs: input.dependencyTimeoutMs }), order, input);\n',
        to: "  return decideOn(request.paymentIntentId === '' ? { status: 'not-captured' } : { status: 'voided' }, order, input);\n",
      },
    ],
    killers: ['S12'],
    hunts: [directedHunt('queue paused for a day', 1)],
  },
];
