import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { createSandboxClient } from '#shared/payments/sandbox-client.ts';
import { sandbox } from '../../../cli/http/sandbox.ts';
import { output } from './deployment.ts';

/** The provider's own books: what it says it charged, whatever the pipeline believes. */
export const books = sandbox(output(STACK_OUTPUTS.sandboxUrl));

export const capturesOf = async (userId: string, orderId: string): Promise<number> =>
  (await books.account(`${userId}/${orderId}`)).captures.length;

/** The payment port the deployed worker uses, over HTTP to the deployed sandbox. */
export const createPayments = () => createSandboxClient({ baseUrl: output(STACK_OUTPUTS.sandboxUrl), fetch });
