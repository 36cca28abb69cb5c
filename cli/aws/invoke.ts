import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { CliError } from '../output/cli-error.ts';

/**
 * Runs a function now and waits until it has ended, as its schedule would run it.
 *
 * @throws CliError when it failed; what it wrote about it is in its log
 */
export async function invokeAndWait(client: LambdaClient, functionName: string, withinMs: number): Promise<void> {
  const { FunctionError, Payload } = await client.send(
    new InvokeCommand({ FunctionName: functionName, InvocationType: 'RequestResponse', Payload: '{}' }),
    { requestTimeout: withinMs },
  );
  if (FunctionError === undefined) return;
  throw new CliError(
    `${functionName} failed (${errorNameIn(Payload)}); its log says more. What it had done until then stands, and it can be run again.`,
  );
}

/** The name alone: a message may quote what it choked on. */
function errorNameIn(payload: Uint8Array | undefined): string {
  try {
    return String((JSON.parse(Buffer.from(payload ?? []).toString()) as { errorType?: unknown }).errorType ?? 'unknown error');
  } catch {
    return 'unknown error';
  }
}
