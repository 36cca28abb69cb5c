import { isDeepStrictEqual } from 'node:util';
import { AwsError, answerOf, validationError } from '../aws-error.ts';
import { totalUnits } from './capacity.ts';
import { wantsCapacity } from './consumed-capacity.ts';
import type { Table } from './table.ts';
import { type Checked, check } from './validate.ts';
import { CONFLICT, heldId, type World } from './world.ts';
import { carryOut, conditionFailed, planWrite, type WriteKind, type WritePlan } from './write.ts';

const MAX_ACTIONS = 100;
/** How long the service remembers a ClientRequestToken. */
const TOKEN_LIFE_MS = 10 * 60_000;

const KINDS: Record<string, WriteKind> = { Put: 'PutItem', Update: 'UpdateItem', Delete: 'DeleteItem', ConditionCheck: 'ConditionCheck' };

interface Action {
  readonly kind: WriteKind;
  readonly data: Checked;
}
interface Reason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: unknown;
}
type Planned = { readonly plan: WritePlan; readonly reason?: Reason } | { readonly reason: Reason };

/** The work of a transaction that began, and what it answers. */
export type Finish = () => Record<string, unknown>;

/**
 * All or nothing, each action twice the price, its index entries too (AWS does not say). A token seen within ten minutes changes
 * nothing again. Between its begin and its finish a transaction holds its items, and every other write of them is a conflict.
 *
 * @returns what begins a transaction
 * @throws AwsError when called: what refuses it before it touches an item, a conflict among it; from the finish, all else
 */
export function createTransactions(world: World): (input: Record<string, unknown>) => Finish {
  const carryOutAll = createCarryOut(world);
  const tokensInProgress = new Set<string>();
  return (input) => {
    const actions = parseActions(input['TransactItems']);
    const token = input['ClientRequestToken'] as string | undefined;
    if (token !== undefined && tokensInProgress.has(token)) throw inProgress();
    const ids = actions.map((action) => itemIdOf(action, world.tableOf));
    refuseCancelled(ids.map((id) => (world.held.has(id) ? { reason: CONFLICT } : {})));
    for (const id of ids) world.held.add(id);
    if (token !== undefined) tokensInProgress.add(token);
    return () => {
      for (const id of ids) world.held.delete(id);
      if (token !== undefined) tokensInProgress.delete(token);
      return carryOutAll(input, actions, token);
    };
  };
}

function createCarryOut({ tableOf, billed, now }: World) {
  const tokens = new Map<string, { readonly atMs: number; readonly request: unknown }>();
  return (input: Record<string, unknown>, actions: readonly Action[], token: string | undefined): Record<string, unknown> => {
    const seen = token === undefined ? undefined : tokens.get(token);
    const isReplay = seen !== undefined && now() - seen.atMs < TOKEN_LIFE_MS;
    if (isReplay && !isDeepStrictEqual(seen.request, input['TransactItems'])) throw mismatch();
    refuseRepeatedItems(actions, tableOf);
    const planned = actions.map((action) => plan(tableOf(action.data.TableName), action));
    const units = planned.map((one) => ('plan' in one ? 2 * totalUnits(one.plan.units) : 2));
    const total = units.reduce((sum, one) => sum + one, 0);
    if (isReplay) {
      billed.read += total;
      return consumed(input, actions, units, 'ReadCapacityUnits');
    }
    billed.write += total;
    refuseCancelled(planned);
    for (const one of planned) if ('plan' in one) carryOut(one.plan);
    if (token !== undefined) tokens.set(token, { atMs: now(), request: input['TransactItems'] });
    return consumed(input, actions, units, 'WriteCapacityUnits');
  };
}

function parseActions(items: unknown): Action[] {
  if (!Array.isArray(items) || items.length === 0 || items.length > MAX_ACTIONS) {
    throw validationError(
      `1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length between 1 and ${MAX_ACTIONS}`,
    );
  }
  return items.map((item: Record<string, object>) => {
    const [[name, input] = [], ...others] = Object.entries(item);
    const kind = name === undefined ? undefined : KINDS[name];
    if (!kind || !input || others.length > 0) {
      throw validationError('TransactItems can only contain one of Check, Put, Update or Delete');
    }
    return { kind, data: check(kind === 'ConditionCheck' ? 'DeleteItem' : kind, input) };
  });
}

/** An action that does not fit its table or the item it meets cancels the transaction; one that could never fit was refused before. */
function plan(table: Table, { kind, data }: Action): Planned {
  const planned = answerOf(() => ({ plan: planWrite(table, kind, data) }));
  if ('error' in planned) return { reason: { Code: 'ValidationError', Message: planned.error.message } };
  const { plan: one } = planned.output as { plan: WritePlan };
  if (one.conditionHolds) return { plan: one };
  const { message, fields } = conditionFailed(data, one.old);
  return { plan: one, reason: { Code: 'ConditionalCheckFailed', Message: message, ...fields } };
}

const itemIdOf = ({ kind, data }: Action, tableOf: World['tableOf']): string =>
  heldId(tableOf(data.TableName), kind === 'PutItem' ? data.Item : data.Key);

function refuseRepeatedItems(actions: readonly Action[], tableOf: World['tableOf']): void {
  const ids = actions.map((action) => itemIdOf(action, tableOf));
  if (new Set(ids).size === ids.length) return;
  throw validationError('Transaction request cannot include multiple operations on one item');
}

function refuseCancelled(planned: readonly { readonly reason?: Reason }[]): void {
  if (planned.some((one) => one.reason)) throw cancelled(planned.map((one) => one.reason));
}

/** @param reasons in the order of the actions, with nothing for those that would have been carried out */
export function cancelled(reasons: readonly (Reason | undefined)[]): AwsError {
  const CancellationReasons = reasons.map((reason) => reason ?? { Code: 'None' });
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  return new AwsError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { fields: { CancellationReasons } },
  );
}

const inProgress = (): AwsError =>
  new AwsError('TransactionInProgressException', 'The transaction with the given request token is already in progress.');

const mismatch = (): AwsError =>
  new AwsError('IdempotentParameterMismatchException', 'The provided request token was already used with other parameters');

function consumed(
  input: Record<string, unknown>,
  actions: readonly Action[],
  units: readonly number[],
  kind: string,
): Record<string, unknown> {
  if (!wantsCapacity(input as { ReturnConsumedCapacity?: string })) return {};
  const byTable = new Map<string, number>();
  actions.forEach(({ data: { TableName } }, position) => {
    byTable.set(TableName, (byTable.get(TableName) ?? 0) + (units[position] as number));
  });
  return { ConsumedCapacity: [...byTable].map(([TableName, total]) => ({ TableName, CapacityUnits: total, [kind]: total })) };
}
