// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are code, and hold its templates
import { directedHunt, type Mutant } from '../mutant.ts';

const RECEIPT = 'shared/jobs/send-receipt.ts';
const CAPTURE = 'shared/jobs/capture-payment.ts';

/** Money and receipts that go wrong while no job is missing. */
export const receiptMutants: readonly Mutant[] = [
  {
    name: 'a receipt sent again without asking',
    edits: [
      {
        file: RECEIPT,
        from: '    return (await ports.mail.wasSent(key)) ? done({ delivered: true as const }) : undefined;\n',
        to: "    return key === '' && (await ports.mail.wasSent(key)) ? done({ delivered: true as const }) : undefined;\n",
      },
    ],
    killers: ['S25'],
    hunts: [directedHunt('a receipt whose sender dies', 1)],
  },
  {
    name: 'a receipt that could not be sent',
    edits: [
      {
        file: RECEIPT,
        from: '    await ports.mail.send({ deliveryKey: key, userId, orderId, amountMinor, currency, captureId });\n',
        to: '    await ports.mail.send({ deliveryKey: key, userId, orderId, amountMinor, currency, captureId }).catch(() => undefined);\n',
      },
    ],
    killers: ['S25'],
    hunts: [directedHunt('receipts that nobody takes', 1)],
  },
  {
    name: 'no receipt at all',
    edits: [
      {
        file: CAPTURE,
        from: '{ enqueue: [job(sendReceipt, { userId, orderId, attempt, amountMinor, currency, captureId })] }',
        to: "{ enqueue: captureId === '' ? [job(sendReceipt, { userId, orderId, attempt, amountMinor, currency, captureId })] : [] }",
      },
      {
        file: 'shared/rescue/order-work.ts',
        from: 'followUps: receipts(image, order),',
        to: 'followUps: receipts(image, order).slice(0, 0),',
      },
    ],
    killers: ['S25'],
    hunts: [{ by: 'simulation', story: 'one-order', seeds: 1, rate: 0 }],
  },
  {
    name: 'captured currency not compared',
    edits: [
      {
        file: CAPTURE,
        from: 'captured.amountMinor !== order.amountMinor || captured.currency !== order.currency',
        to: "captured.amountMinor !== order.amountMinor || captured.currency === ''",
      },
    ],
    killers: ['S3'],
    hunts: [directedHunt('a provider that tells of other money')],
  },
  {
    name: 'a reference of its own for each attempt, and a charge taken for declined',
    edits: [
      {
        file: CAPTURE,
        from: '  reference: `${order.userId}/${order.orderId}`,\n',
        to: '  reference: `${order.userId}/${order.orderId}-${order.attempt}`,\n',
      },
      {
        file: CAPTURE,
        from: 'const answer = await input.ports.payments.capture(captureRequest(current, input.key), { timeoutMs: input.dependencyTimeoutMs });',
        to: `const answer = await input.ports.payments
      .capture(captureRequest(current, input.key), { timeoutMs: input.dependencyTimeoutMs })
      .catch((error) => {
        if (error.code === 'provider-connection-lost') return { status: 'declined' as const, reason: error.code };
        throw error;
      });`,
      },
    ],
    killers: ['S1'],
    hunts: [directedHunt('an answer that breaks off', 1)],
  },
  {
    name: 'a lost connection taken for not sent',
    edits: [
      {
        file: 'shared/payments/classify-response.ts',
        from: "ENDED_BY_US.get(name) ?? 'provider-connection-lost', { sent: 'maybe', cause }",
        to: "ENDED_BY_US.get(name) ?? 'provider-connection-lost', { sent: ENDED_BY_US.has(name) ? 'maybe' : 'no', cause }",
      },
    ],
    killers: ['S12'],
    hunts: [directedHunt('an answer that breaks off', 1)],
  },
];
