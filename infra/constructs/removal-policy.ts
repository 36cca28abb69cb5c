import { RemovalPolicy } from 'aws-cdk-lib';
import type { Settings } from '../settings.ts';

/** Settings are plain values, so that tools can read them without loading the CDK. */
export const removalPolicyOf = ({ whenRemoved }: Settings): RemovalPolicy =>
  whenRemoved === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
