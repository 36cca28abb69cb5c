import { orderItemKey } from '#shared/contract/item-keys.ts';
import type { ControlStore } from '#shared/control/control-store.ts';
import { type DeadLetter, replaysOf } from '#shared/dead-letter/read-letter.ts';
import { planReplay, type ReplayPlan } from '#shared/dead-letter/replay-plan.ts';
import type { ItemImage } from '#shared/item/attributes.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import { type Cause, causeOf, describeReason } from './cause.ts';
import { type ForeseenDiscard, foreseeDiscard } from './foresee-discard.ts';
import { futileReason } from './futile.ts';
import { type CacheView, cacheKeyOf, type ItemView, viewCache, viewItem } from './item-view.ts';
import { ageOf, type LetterAge } from './letter-age.ts';
import { maskBody } from './masked-body.ts';
import type { PastAct } from './past-replays.ts';
import type { AskablePayments } from './provider.ts';
import { type ProviderView, viewProvider } from './provider-view.ts';
import { MOST_REPLAYS } from './verdict.ts';

/** A letter, and everything that is known about its job. */
export interface Inspection {
  readonly letter: LetterAge & {
    readonly messageId: string;
    readonly queue: string;
    readonly deadLetterQueue: string;
    readonly key: string | null;
    readonly group: string | null;
    readonly movedBySqs: boolean;
    readonly bodyBytes: number;
    /** Its payload's values are covered unless they were asked for; then it is the body's text. */
    readonly body: unknown;
    readonly attributes: readonly string[];
  };
  readonly why: Cause & {
    readonly sentence: string | null;
    readonly attempts: number | null;
    readonly firstSeenAt: string | null;
    readonly lastSeenAt: string | null;
    readonly trace: string | null;
  };
  readonly item: ItemView | null;
  readonly provider: ProviderView;
  readonly cache: CacheView | null;
  /** What people did about its key before. */
  readonly before: readonly PastAct[];
  /** `helps`: false where it is refused, or would only come again, for the reason `futile`. */
  readonly replay: ReplayPlan & {
    readonly to: string;
    readonly replaysSoFar: number;
    readonly helps: boolean;
    readonly futile: string | null;
  };
  readonly discard: ForeseenDiscard;
}

export interface InspectionWorld {
  readonly store: Pick<ItemStore, 'read'>;
  readonly payments: Pick<AskablePayments, 'find'>;
  readonly control: ControlStore;
  readCacheRow(key: string): Promise<ItemImage | undefined>;
  readonly nowMs: number;
}

export interface Inspected {
  readonly letter: DeadLetter;
  /** As people call it. */
  readonly queue: string;
  readonly retentionMs: number;
}

/** Looks at a letter from every side and changes nothing. */
export async function inspect(
  { letter, queue, retentionMs }: Inspected,
  before: readonly PastAct[],
  showPayload: boolean,
  world: InspectionWorld,
): Promise<Inspection> {
  const { job } = letter;
  const image = job === undefined ? undefined : await world.store.read(job.target.key);
  const [provider, cache, discard] = await Promise.all([
    viewProvider(job, image, world.payments),
    cacheOf(letter, image, world),
    foreseeDiscard(letter, image, world),
  ]);
  return {
    letter: {
      messageId: letter.received.messageId,
      queue,
      deadLetterQueue: letter.source.deadLetterQueueName,
      key: job?.key ?? null,
      group: letter.received.group ?? null,
      movedBySqs: letter.movedBySqs,
      ...ageOf(letter, retentionMs, world.nowMs),
      bodyBytes: Buffer.byteLength(letter.received.body),
      body: showPayload ? letter.received.body : maskBody(letter.received.body),
      attributes: Object.keys(letter.received.attributes),
    },
    why: whyOf(letter),
    item: job === undefined ? null : viewItem(job, image),
    provider,
    cache,
    before,
    replay: replayOf(letter, image),
    discard,
  };
}

function replayOf(letter: DeadLetter, image: ItemImage | undefined): Inspection['replay'] {
  const plan = planReplay(letter, image, MOST_REPLAYS);
  const futile = futileReason(letter, plan, image) ?? null;
  const helps = plan.act !== 'refuse' && futile === null;
  return { ...plan, to: letter.source.queueUrl, replaysSoFar: replaysOf(letter), helps, futile };
}

function whyOf(letter: DeadLetter): Inspection['why'] {
  const cause = causeOf(letter);
  const { attempts = null, firstSeenAt = null, lastSeenAt = null, trace = null } = letter.why ?? {};
  return { ...cause, sentence: describeReason(cause.reason) ?? null, attempts, firstSeenAt, lastSeenAt, trace };
}

async function cacheOf({ job }: DeadLetter, image: ItemImage | undefined, world: InspectionWorld): Promise<CacheView | null> {
  const key = job && cacheKeyOf(job);
  if (job === undefined || key === undefined) return null;
  const { userId, orderId } = job.payload as { userId: string; orderId: string };
  const order = job.target.own ? await world.store.read(orderItemKey(userId, orderId)) : image;
  return viewCache(key, await world.readCacheRow(key), order?.['version'], world.nowMs);
}
