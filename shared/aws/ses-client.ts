import { SESv2Client } from '@aws-sdk/client-sesv2';
import { clientConfig, type SdkOptions } from './sdk-options.ts';

/** Within the time limit of a run (shared/jobs/send-receipt.ts). */
const LIMITS = { connectionTimeout: 1_000, requestTimeout: 4_000 };
/** SES knows no idempotency key: whatever is sent twice arrives twice. */
const SENT_ONCE = 1;

export const createSesClient = ({ sdk, endpoint }: { readonly sdk: SdkOptions; readonly endpoint?: string }): SESv2Client =>
  new SESv2Client({ ...(clientConfig(SENT_ONCE, LIMITS, sdk) as object), ...(endpoint === undefined ? {} : { endpoint }) });
