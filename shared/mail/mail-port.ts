/** Sends receipts. Adapter: the mail table (shared/aws/mail-table.ts), one row per delivery so that a double is visible. */
export interface MailPort {
  /** @param mail.deliveryKey names the intent; the adapter keeps it with the delivery so that `wasSent` can answer. */
  send(mail: Receipt): Promise<void>;
  /** Whether a delivery under this key is recorded, strongly consistent. */
  wasSent(deliveryKey: string): Promise<boolean>;
}

export interface Receipt {
  readonly deliveryKey: string;
  readonly userId: string;
  readonly orderId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly captureId: string;
}
