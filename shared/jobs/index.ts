import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import { adjustStock } from './adjust-stock.ts';
import { capturePayment } from './capture-payment.ts';
import { exportOrders } from './export-orders.ts';
import { refundPayment } from './refund-payment.ts';
import { sendReceipt } from './send-receipt.ts';

/** Every job kind there is. A new kind is one file beside this one and one line here; queue, function, alarms and rights follow from it. */
export const jobs: readonly AnyJobDefinition[] = [capturePayment, refundPayment, sendReceipt, exportOrders, adjustStock];

export const jobOfKind = (kind: string): AnyJobDefinition | undefined => jobs.find((definition) => definition.kind === kind);
