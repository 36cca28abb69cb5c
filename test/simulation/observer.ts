import type { SQSRecord } from 'aws-lambda';
import type { Measured } from '#shared/runtime/metrics.ts';
import type { StreamRecord } from '../support/fake-aws/fake-dynamodb.ts';
import type { Call } from '../support/fake-aws/wire.ts';
import type { InvocationEnd } from './cloud/lambda.ts';
import type { Process } from './kernel/process.ts';
import type { ProviderMovement } from './provider/memory-ledger.ts';
import type { ProviderAnswer, ProviderCall } from './provider/provider-requests.ts';

/** One item before and after one write, as plain values. */
export interface ItemWritten {
  readonly table: string;
  /** Partition and sort key joined by `|`. */
  readonly id: string;
  readonly old: Readonly<Record<string, unknown>> | undefined;
  readonly next: Readonly<Record<string, unknown>> | undefined;
  /** Who sent the write; it may be dead by now. Undefined for the service itself (time to live, a restore). */
  readonly by: string | undefined;
  /** The call that did it, for the expression. */
  readonly call: Call | undefined;
  readonly atMs: number;
}

export interface ApiExchange {
  readonly functionName: string;
  /** Names the intent: the caller repeats it with the same key. */
  readonly idempotencyKey: string | undefined;
  readonly request: Readonly<Record<string, unknown>>;
  readonly answer: { readonly statusCode: number; readonly body: string; readonly headers?: Readonly<Record<string, unknown>> };
  readonly startedAtMs: number;
  readonly atMs: number;
}

export type Disturbance = 'purge' | 'stream-outage' | 'restore' | 'cache-lost' | 'roll-out';

/** What can be seen of a run from outside. A checker listens to what it needs. */
export interface Observer {
  /** After every change of an item, of any table. */
  itemWritten?(written: ItemWritten): void;
  /** A call reached the provider. */
  providerCalled?(call: ProviderCall): void;
  /** The provider answered; the caller may never get it. */
  providerAnswered?(call: ProviderCall, answer: ProviderAnswer): void;
  /** Money moved, or an intent was closed. */
  providerMoved?(movement: ProviderMovement): void;
  /** An accepted SQS call of a process: sends, hand-backs, letters. */
  queueCalled?(call: Call, by: string): void;
  messagesDelivered?(queueName: string, records: readonly SQSRecord[]): void;
  /** Acknowledged: gone from its queue. */
  messageDeleted?(queueName: string, record: SQSRecord): void;
  /** Something outside took messages away: a purge, expiry. */
  messagesLost?(queueName: string, bodies: readonly string[], why: string): void;
  streamRecordLost?(functionName: string, record: StreamRecord): void;
  invocationEnded?(functionName: string, process: Process, end: InvocationEnd): void;
  apiAnswered?(exchange: ApiExchange): void;
  logged?(service: string, level: string, message: string, fields: unknown): void;
  counted?(service: string, name: string, value: number, dimensions: Measured['dimensions']): void;
  /** An operator's act begins; its audit entry must come first. */
  operatorActs?(act: {
    readonly kind: 'replay' | 'discard';
    readonly queueName: string;
    readonly body: string;
    readonly atMs: number;
  }): void;
  /** Something happened to the account as a whole: `purge`, `stream-outage`, `restore`, `cache-lost`, `roll-out`. */
  disturbed?(what: Disturbance): void;
  /** No more faults from here on. */
  calm?(): void;
  /** Hours after the calm: what can end by itself has ended. */
  rested?(): void;
  /** The operator has dealt with all letters, days after: nothing may be left. */
  finished?(): void;
}

export const OBSERVER_METHODS = [
  'itemWritten',
  'providerCalled',
  'providerAnswered',
  'providerMoved',
  'queueCalled',
  'messagesDelivered',
  'messageDeleted',
  'messagesLost',
  'streamRecordLost',
  'invocationEnded',
  'apiAnswered',
  'logged',
  'counted',
  'operatorActs',
  'disturbed',
  'calm',
  'rested',
  'finished',
] as const satisfies readonly (keyof Observer)[];
