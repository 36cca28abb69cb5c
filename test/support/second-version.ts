/** Where the kind is that has a second version in tests of a rollout. */
export const VERSIONED_FILE = 'shared/jobs/capture-payment.ts';

/**
 * The source of capture-payment as a next release might have it: version 2 says where the order came from, and reads version 1 by an
 * upgrade. Whoever makes such a job need not know: the field is filled in.
 *
 * @throws Error when the source no longer looks as it is expected to
 */
export function secondVersionOf(source: string): string {
  const steps: [string | RegExp, string][] = [
    ['const capturePayload = ', 'const olderPayload = '],
    [
      'const result = ',
      "const capturePayload = z.strictObject({ userId, orderId, attempt: positiveInteger, channel: shortString.default('web') });\nconst result = ",
    ],
    ['  version: 1,\n', "  version: 2,\n  versions: { 1: olderVersion(olderPayload, (old) => ({ ...old, channel: 'web' })) },\n"],
    [
      "import { readOrder } from './read-order.ts';",
      "import { olderVersion } from '#shared/worker/payload-versions.ts';\nimport { readOrder } from './read-order.ts';",
    ],
  ];
  return steps.reduce((text, [from, to]) => {
    if (!text.includes(from as string))
      throw new Error(`capture-payment.ts has no ${JSON.stringify(from)} any more: adapt ${import.meta.url}`);
    return text.replace(from, to);
  }, source);
}
