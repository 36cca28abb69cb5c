import { type DeployedResource, type Deployment, ofType } from './deployment.ts';

const SQS_DEFAULT_VISIBILITY_SECONDS = 30;
const LAMBDA_DEFAULT_TIMEOUT_SECONDS = 3;

/** An event source mapping with what it reads from and what it runs. */
export interface Mapping {
  readonly mapping: DeployedResource;
  /** What its FunctionName names: an alias, a version or a function. */
  readonly target: DeployedResource | undefined;
  readonly lambda: DeployedResource | undefined;
  readonly source: DeployedResource | undefined;
}

export function mappingsOf(deployment: Deployment): Mapping[] {
  return ofType(deployment, 'AWS::Lambda::EventSourceMapping').map((mapping) => {
    const target = deployment.refersTo(mapping.properties['FunctionName'], mapping);
    return {
      mapping,
      target,
      lambda: target === undefined || isFunction(target) ? target : deployment.refersTo(target.properties['FunctionName'], target),
      source: deployment.refersTo(mapping.properties['EventSourceArn'], mapping),
    };
  });
}

const isFunction = ({ type }: DeployedResource): boolean => type === 'AWS::Lambda::Function';

export const fromQueue = ({ source }: Mapping): boolean => source?.type === 'AWS::SQS::Queue';

export const visibilitySecondsOf = (queue: DeployedResource | undefined): number =>
  queue?.properties['VisibilityTimeout'] ?? SQS_DEFAULT_VISIBILITY_SECONDS;

export const timeoutSecondsOf = (lambda: DeployedResource | undefined): number =>
  lambda?.properties['Timeout'] ?? LAMBDA_DEFAULT_TIMEOUT_SECONDS;
