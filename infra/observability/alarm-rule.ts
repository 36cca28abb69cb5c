import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/** One thing that somebody should be told of. It goes off while its value is beyond the threshold, and off again by itself. */
export type AlarmRule = Told & (TooMuch | TooLittle);

interface TooMuch {
  readonly atLeast: number;
}

/** Silence is too little, too. */
interface TooLittle {
  readonly fewerThan: number;
}

interface Told {
  readonly id: string;
  /** What is the matter, in one sentence. */
  readonly says: string;
  /** Heading in docs/operating.md, as its anchor. */
  readonly runbook: string;
  readonly metric: IMetric;
  /** So many of the last periods; left out: one, and the first. */
  readonly periods?: { readonly breaching: number; readonly of: number };
}
