import { isDeepStrictEqual } from 'node:util';
import { type Answer, AwsError } from './aws-error.ts';
import { cancelled } from './dynamodb/transaction.ts';
import { CONFLICT, conflictError } from './dynamodb/world.ts';
import type { Call } from './wire.ts';

/** What can happen to a request between the caller and the state machine. */
export type Fault =
  /** The connection is refused: nothing was sent, nothing is applied. */
  | 'fail-before'
  /** Applied, and the connection breaks before the answer arrives. */
  | 'apply-then-lose-answer'
  /** An error answer, such as throttling or a 500; `applied` if the service did the work all the same. */
  | {
      readonly error: string;
      readonly status?: number;
      readonly message?: string;
      readonly fields?: Record<string, unknown>;
      readonly applied?: boolean;
    }
  /** Applied at once, answered when the promise settles. */
  | { readonly answerAfter: Promise<unknown> }
  /** DynamoDB: the transaction is in progress until the promise settles, and applied then; meanwhile it holds its items. Other requests wait as long. */
  | { readonly inProgressUntil: Promise<unknown> }
  /** DynamoDB writes: these actions of a transaction, by position, or the one write meet a transaction in progress. */
  | { readonly conflicts: readonly number[] }
  /** DynamoDB: an eventually consistent read sees its table as it was this many changes ago; other requests are served as usual. */
  | { readonly changesBehind: number }
  /** SQS batches: these entries fail, by id, the others are served. */
  | {
      readonly failedEntries: Readonly<
        Record<string, { readonly Code: string; readonly SenderFault?: boolean; readonly Message?: string }>
      >;
    };

type ErrorFault = Extract<Fault, { error: string }>;
type FailedEntries = Extract<Fault, { failedEntries: object }>['failedEntries'];

export function asError({ error, status, message, fields }: ErrorFault): AwsError {
  return new AwsError(error, message ?? `${error} (injected)`, { status: status ?? 400, fields: fields ?? {} });
}

/** What a write answers that meets a transaction in progress: the reasons of a transaction in the order of its actions. */
export function conflictAnswer({ operation, input }: Pick<Call, 'operation' | 'input'>, positions: readonly number[]): Answer {
  if (operation !== 'TransactWriteItems') return { error: conflictError() };
  const { TransactItems } = input as { TransactItems: unknown[] };
  return { error: cancelled(TransactItems.map((_, position) => (positions.includes(position) ? CONFLICT : undefined))) };
}

export function withoutEntries(
  input: { readonly Entries: readonly { readonly Id: string }[] },
  failed: FailedEntries,
  run: (input: Record<string, unknown>) => Answer,
): Answer {
  const rest = input.Entries.filter(({ Id }) => !failed[Id]);
  const answer: Answer = rest.length > 0 ? run({ ...input, Entries: rest }) : { output: {} };
  if ('error' in answer) return answer;
  const injected = input.Entries.flatMap(({ Id }) => (failed[Id] ? [{ Id, SenderFault: false, ...failed[Id] }] : []));
  const before = (answer.output['Failed'] ?? []) as object[];
  return { output: { ...answer.output, Failed: [...before, ...injected] } };
}

type Keys = readonly Readonly<Record<string, unknown>>[];

/** Short of throughput, DynamoDB reads a part of what is asked for together and hands the other keys back. */
export function withoutKey(
  input: { readonly RequestItems: Readonly<Record<string, { readonly Keys: Keys }>> },
  pick: (keys: Keys) => Keys[number],
  run: () => Answer,
): Answer {
  const answer = run();
  const [asked] = Object.entries(input.RequestItems);
  if ('error' in answer || asked === undefined) return answer;
  const [table, { Keys, ...how }] = asked;
  const left = pick(Keys);
  const isLeft = (item: Keys[number]): boolean => Object.entries(left).every(([name, value]) => isDeepStrictEqual(item[name], value));
  const { Responses } = answer.output as { Responses: Record<string, Keys> };
  const found = (Responses[table] ?? []).filter((item) => !isLeft(item));
  return {
    output: { ...answer.output, Responses: { ...Responses, [table]: found }, UnprocessedKeys: { [table]: { ...how, Keys: [left] } } },
  };
}
