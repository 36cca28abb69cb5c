import type { DeployedResource, Deployment } from './deployment.ts';

/** What has to hold between resources of a stage, so that no run of it can show it broken. */
export interface Rule {
  readonly name: string;
  readonly fix: string;
  broken(deployment: Deployment): readonly Broken[];
}

export interface Broken {
  readonly at: DeployedResource;
  /** What is there, with its numbers. */
  readonly says: string;
}
