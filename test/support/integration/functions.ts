import { GetFunctionConfigurationCommand, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { lambda } from './aws-clients.ts';
import { allFunctionNames } from './deployment.ts';

/** What each function runs at present. */
export async function codeHashes(): Promise<Map<string, string>> {
  const configurations = allFunctionNames().map(async (FunctionName) => {
    const { CodeSha256 = '' } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
    return [FunctionName, CodeSha256] as const;
  });
  return new Map(await Promise.all(configurations));
}

export async function logGroupOf(FunctionName: string): Promise<string> {
  const { LoggingConfig } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  return LoggingConfig?.LogGroup ?? `/aws/lambda/${FunctionName}`;
}

/** @returns the variables as they were */
export async function changeVariables(FunctionName: string, changed: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  const before = Environment?.Variables ?? {};
  await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables: { ...before, ...changed } } }));
  return before;
}
