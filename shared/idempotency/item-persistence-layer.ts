import { IdempotencyItemAlreadyExistsError } from '@aws-lambda-powertools/idempotency';
import { BasePersistenceLayer, IdempotencyRecord } from '@aws-lambda-powertools/idempotency/persistence';
import type { ItemImage } from '#shared/item/attributes.ts';
import type { WriteAnswer } from '#shared/item/expression.ts';
import { type ItemStore, WriteNeverPossible } from '#shared/item/item-store.ts';
import { type ClaimRefusal, type LateRefusal, readClaimRefusal, readLateRefusal } from '#shared/item/refusal.ts';
import type { ItemProtocol, Settlement } from './item-protocol.ts';

/** What the layer saw happen, the only account the worker trusts: Powertools may replace the errors it passes on. */
export type Report =
  /** The claim got no answer from the table. */
  | { readonly kind: 'claim-unanswered'; readonly error: unknown }
  | { readonly kind: 'claim-refused'; readonly refusal: RefusedClaim }
  | { readonly kind: 'claimed' }
  | { readonly kind: 'committed' }
  | { readonly kind: 'settled'; readonly settlement: Settlement }
  /** The item was not freed by us: its lease runs out, or a successor has it. */
  | { readonly kind: 'fenced'; readonly settlement: Settlement }
  | { readonly kind: 'settle-unanswered'; readonly settlement: Settlement; readonly error: unknown };

/** Our own write, repeated by the SDK, is no refusal: the execution goes on as the owner. */
export type RefusedClaim = Exclude<ClaimRefusal, { readonly kind: 'ours' }>;

class ClaimRefused extends Error {}

/**
 * Powertools' engine on the one-item protocol: its three calls are claim, commit and settle. One instance per execution.
 * Unlike the stock DynamoDB layer every write names its owner and fence, so a worker that wakes up late changes nothing.
 *
 * Does not protect against a wrapped function that returns its failures: a returned value is committed as the result.
 */
export class ItemPersistenceLayer extends BasePersistenceLayer {
  report: Report = { kind: 'claim-unanswered', error: undefined };
  image: ItemImage | undefined;
  readonly #protocol: ItemProtocol;
  readonly #store: ItemStore;

  constructor(protocol: ItemProtocol, store: ItemStore) {
    super();
    this.#protocol = protocol;
    this.#store = store;
  }

  /** Fixed before the call: nothing the wrapped function does to its input can move the record. */
  override getHashedIdempotencyKey(_data: unknown): string {
    return this.#protocol.operation;
  }

  override async _putRecord(_record: IdempotencyRecord): Promise<void> {
    const answer = await this.#claim();
    if (answer.accepted) return this.#began(answer.image);
    const refusal = readClaimRefusal(answer.old, this.#protocol.identity);
    if (refusal.kind === 'ours') return this.#began(refusal.image);
    this.report = { kind: 'claim-refused', refusal };
    if (refusal.kind !== 'completed') throw new ClaimRefused(refusal.kind);
    throw new IdempotencyItemAlreadyExistsError(
      'finished before',
      new IdempotencyRecord({
        idempotencyKey: this.#protocol.operation,
        status: 'COMPLETED',
        responseData: refusal.record.result as never,
      }),
    );
  }

  override async _updateRecord(_record: IdempotencyRecord): Promise<void> {
    const refusal = await this.#commit();
    if (refusal === undefined || refusal === 'committed') this.report = { kind: 'committed' };
    else if (refusal === 'guard-failed') await this.#settle({ kind: 'retry', code: 'guard-failed', sent: 'maybe' });
    else if (refusal === 'never-possible') await this.#settle({ kind: 'permanent', code: 'commit-impossible', sent: 'maybe' });
    else if (refusal === 'unanswered') await this.#settle({ kind: 'unknown', code: 'commit-unanswered' });
    else this.report = { kind: 'fenced', settlement: this.#protocol.settlementOf({ kind: 'retry', code: 'fenced', sent: 'maybe' }) };
  }

  /** Never throws: a settle that fails is a lease that runs out. */
  override async _deleteRecord(_record: IdempotencyRecord): Promise<void> {
    await this.#settle(this.#protocol.verdict);
  }

  override _getRecord(_key: string): Promise<IdempotencyRecord> {
    return Promise.reject(new Error('a refused claim carries the old item; nothing is read'));
  }

  #began(image: ItemImage): void {
    this.image = image;
    this.#protocol.began(image);
    this.report = { kind: 'claimed' };
  }

  async #settle(verdict: Parameters<ItemProtocol['settlementOf']>[0]): Promise<void> {
    const settlement = this.#protocol.settlementOf(verdict);
    try {
      const refusal = this.#lateRefusal(await this.#store.write(settlement.write));
      const stands = refusal === undefined || refusal === (settlement.kind === 'discard' ? 'discarded' : 'freed');
      if (refusal === 'committed') this.report = { kind: 'committed' };
      else this.report = { kind: stands ? 'settled' : 'fenced', settlement };
    } catch (error) {
      this.report = { kind: 'settle-unanswered', settlement, error };
    }
  }

  async #claim(): Promise<WriteAnswer> {
    try {
      return await this.#store.write(this.#protocol.claim());
    } catch (error) {
      this.report = { kind: 'claim-unanswered', error };
      throw error;
    }
  }

  /**
   * Without an answer, or when the decision makes no write, the settle that follows finds out: it meets our commit, or frees
   * the item. Left alone, a decision that can never be written would take the lease again and again and end nowhere.
   */
  async #commit(): Promise<LateRefusal | 'unanswered' | 'never-possible' | undefined> {
    try {
      const writes = this.#protocol.commit();
      const [own] = writes;
      const answer = writes.length === 1 && own !== undefined ? await this.#store.write(own) : await this.#store.writeTogether(writes);
      return !answer.accepted && answer.otherRefused ? 'guard-failed' : this.#lateRefusal(answer);
    } catch (error) {
      return error instanceof WriteNeverPossible ? 'never-possible' : 'unanswered';
    }
  }

  #lateRefusal(answer: WriteAnswer): LateRefusal | undefined {
    return answer.accepted ? undefined : readLateRefusal(answer.old, this.#protocol.operation, this.#protocol.holder);
  }
}
