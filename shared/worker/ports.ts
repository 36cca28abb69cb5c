import type { MailPort } from '#shared/mail/mail-port.ts';
import type { PaymentPort } from '#shared/payments/payment-port.ts';

/** What a job may reach besides its own item. */
export interface Ports {
  readonly payments: PaymentPort;
  readonly mail: MailPort;
}
