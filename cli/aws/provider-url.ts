import { GetFunctionConfigurationCommand, type LambdaClient, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';

type Variables = Readonly<Record<string, string>>;

const URL_NAME = 'PAYMENT_PROVIDER_URL';
/** Left on the function while its provider is exchanged, so that even a run that was killed can be put right by the next. */
const ORIGINAL_URL_NAME = 'PAYMENT_PROVIDER_URL_BEFORE_DEMO';

export async function readVariables(client: LambdaClient, functionName: string): Promise<Variables> {
  const { Environment } = await client.send(new GetFunctionConfigurationCommand({ FunctionName: functionName }));
  return Environment?.Variables ?? {};
}

/** The provider a function was deployed with, whatever it calls at present. */
export const providerUrlOf = (variables: Variables): string | undefined => variables[ORIGINAL_URL_NAME] ?? variables[URL_NAME];

/** An emulator ends running invocations of a function whose settings change; their messages return after the visibility timeout. */
export async function exchangeProvider(client: LambdaClient, functionName: string, url: string): Promise<void> {
  const variables = await readVariables(client, functionName);
  const original = providerUrlOf(variables);
  const kept = original === undefined ? {} : { [ORIGINAL_URL_NAME]: original };
  await writeVariables(client, functionName, { ...variables, ...kept, [URL_NAME]: url });
}

/** Does nothing where nothing was exchanged. */
export async function restoreProvider(client: LambdaClient, functionName: string): Promise<void> {
  const { [ORIGINAL_URL_NAME]: original, ...variables } = await readVariables(client, functionName);
  if (original !== undefined) await writeVariables(client, functionName, { ...variables, [URL_NAME]: original });
}

const writeVariables = (client: LambdaClient, FunctionName: string, Variables: Variables) =>
  client.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables: { ...Variables } } }));
