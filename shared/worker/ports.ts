import type { ObjectStoragePort } from '#shared/exports/object-storage-port.ts';
import type { OrderPagePort } from '#shared/exports/order-page-port.ts';
import type { MailPort } from '#shared/mail/mail-port.ts';
import type { PaymentPort } from '#shared/payments/payment-port.ts';
import type { StockPort } from '#shared/stock/stock-port.ts';

/** What a job may reach besides its own item. */
export interface Ports {
  readonly payments: PaymentPort;
  readonly mail: MailPort;
  readonly stock: StockPort;
  readonly orderPages: OrderPagePort;
  readonly objects: ObjectStoragePort;
}
