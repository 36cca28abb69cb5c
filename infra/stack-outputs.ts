import { CfnOutput, type Stack } from 'aws-cdk-lib';

/** @param values output name (shared/contract/stack-outputs.ts) → value */
export function addOutputs(stack: Stack, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) new CfnOutput(stack, name, { value });
}
