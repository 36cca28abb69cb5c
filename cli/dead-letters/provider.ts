import { jobOutputs, STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { type PaymentPort, ProviderError } from '#shared/payments/payment-port.ts';
import { createSandboxClient } from '#shared/payments/sandbox-client.ts';
import { providerUrlOf, readVariables } from '../aws/provider-url.ts';
import { sandboxFetch } from '../http/sandbox-of.ts';
import type { Session } from '../session.ts';
import { patiently } from './provider-patience.ts';

/** What may be asked of a provider without moving money. */
export type AskablePayments = Pick<PaymentPort, 'find' | 'void'>;

/** The provider this deployment charges: its own sandbox, or the one its workers were deployed with. Found at the first question. */
export function paymentsOf(session: Session): AskablePayments {
  let found: Promise<AskablePayments> | undefined;
  const payments = (): Promise<AskablePayments> => {
    found ??= findPayments(session);
    return found;
  };
  return patiently({
    find: async (request, call) => (await payments()).find(request, call),
    void: async (request, call) => (await payments()).void(request, call),
  });
}

async function findPayments(session: Session): Promise<AskablePayments> {
  const { outputs, clients, output } = session;
  const sandboxUrl = outputs[STACK_OUTPUTS.sandboxUrl];
  if (sandboxUrl !== undefined) return createSandboxClient({ baseUrl: sandboxUrl, fetch: sandboxFetch(session) });
  const url = await urlOfWorkers(clients.lambda, output(jobOutputs(capturePayment.kind).functionName));
  return url === undefined ? NOBODY : createSandboxClient({ baseUrl: url, fetch });
}

/** A function that is gone, or may not be looked at, leaves nobody to ask; that is no answer, and treated as such. */
const urlOfWorkers = (client: Parameters<typeof readVariables>[0], functionName: string): Promise<string | undefined> =>
  readVariables(client, functionName).then(providerUrlOf, () => undefined);

const nobody = async (): Promise<never> => {
  throw new ProviderError('provider-not-known', { sent: 'no', permanent: true });
};
const NOBODY: AskablePayments = { find: nobody, void: nobody };
