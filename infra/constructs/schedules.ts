import type { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Alias, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

/** Runs a function at a steady pace. A run that failed is not repeated: the next one is never far, and starts from what it finds. */
export function runEvery(
  scope: Construct,
  id: string,
  { every, runs, description }: { every: Duration; runs: { readonly live: Alias }; description: string },
): Rule {
  return new Rule(scope, id, {
    description,
    schedule: Schedule.rate(every),
    targets: [new LambdaFunction(runs.live as IFunction, { retryAttempts: 0 })],
  });
}
