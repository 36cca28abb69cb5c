import type { ItemKey } from '#shared/contract/item-keys.ts';
import { LEASE_GRACE_MS } from '#shared/contract/limits.ts';
import type { JobMessage } from '#shared/contract/message.ts';
import { intentHash } from '#shared/idempotency/intent-hash.ts';
import type { ItemProtocol } from '#shared/idempotency/item-protocol.ts';
import { alsoWrite } from '#shared/item/also.ts';
import { attemptsSpent, fenceOf, hasOtherUnfinishedOperation, type ItemImage } from '#shared/item/attributes.ts';
import { claimWrite } from '#shared/item/claim.ts';
import { commitWrite } from '#shared/item/commit.ts';
import type { ItemWrite } from '#shared/item/expression.ts';
import type { Verdict } from '#shared/retry/verdict.ts';
import { LEASE_HEARTBEATS } from './heartbeat.ts';
import { type JobTarget, targetOf } from './job-target.ts';
import { outboxMessage } from './outbox-message.ts';
import type { Decision } from './outcome.ts';
import type { ParsedJob } from './parse-job.ts';
import { type SettlementFacts, settlementOf } from './settlement.ts';
import type { Delivery, Worker } from './worker.ts';

/** One execution of one job: what it holds and the writes that follow from it. State of its own, shared with nobody. */
export interface JobExecution extends ItemProtocol {
  /** The item the job works on. */
  readonly target: ItemKey;
  readonly image: ItemImage | undefined;
  /** The run answered; the commit writes this. */
  decide(decision: Decision): void;
  fail(verdict: Verdict): void;
  /** The outside answered what became of earlier attempts. */
  wasAsked(): void;
}

export function createJobExecution(job: ParsedJob, delivery: Delivery, worker: Worker, remainingMs: number): JobExecution {
  const { definition, clock, random } = worker;
  const target = targetOf(definition, job.payload);
  const owner = random.token();
  const hash = intentHash(definition.intent(job.payload));
  const claimedAtMs = clock.nowMs();
  let image: ItemImage | undefined;
  let decision: Decision | undefined;
  let verdict: Verdict | undefined;
  let asked = false;

  const begun = (): ItemImage => expect(image, 'claimed');
  const holder = () => ({ owner, fence: fenceOf(begun()) });
  const begunFacts = (): BegunFacts => ({ target, hash, image: begun(), holder: holder(), job, worker });

  return {
    target: target.key,
    operation: target.operation,
    identity: { operation: target.operation, owner, intentHash: hash, nowMs: claimedAtMs, current: target.current },
    claim: () =>
      claimWrite({
        ...target,
        owner,
        intentHash: hash,
        nowMs: claimedAtMs,
        leaseUntilMs: claimedAtMs + leaseMs(remainingMs, worker),
        ownItemMessage: target.own ? delivery.body : undefined,
      }),
    began: (claimed) => {
      image = claimed;
    },
    get image() {
      return image;
    },
    get holder() {
      return holder();
    },
    decide: (answer) => {
      decision = answer;
    },
    fail: (failure) => {
      verdict = failure;
    },
    wasAsked: () => {
      asked = true;
    },
    get verdict() {
      return expect(verdict, 'failed');
    },
    commit: () => commitOf(expect(decision, 'decided'), begunFacts()),
    settlementOf: (failure) => settlementOf(failure, settlementFacts({ ...begunFacts(), delivery, asked })),
  };
}

/** The lease ends when the function must have, plus a grace; never with what Powertools would make of it. */
const leaseMs = (remainingMs: number, { timing }: Worker): number =>
  Math.min(remainingMs + LEASE_GRACE_MS, timing.heartbeatMs === undefined ? timing.leaseDurationMs : timing.heartbeatMs * LEASE_HEARTBEATS);

interface BegunFacts {
  readonly target: JobTarget;
  readonly hash: string;
  readonly image: ItemImage;
  readonly holder: { readonly owner: string; readonly fence: number };
  readonly job: ParsedJob;
  readonly worker: Worker;
}

function commitOf(decision: Decision, { target, hash, image, holder, job, worker }: BegunFacts): ItemWrite[] {
  const nowMs = worker.clock.nowMs();
  const outbox: JobMessage[] = decision.enqueue.map((reference) => outboxMessage(reference, nowMs, job.message.trace));
  const own = commitWrite({
    key: target.key,
    operation: target.operation,
    holder,
    record: {
      status: 'completed',
      result: decision.result,
      hash,
      atMs: nowMs,
      by: holder.owner,
      fence: holder.fence,
      tries: attemptsSpent(image, target.operation),
    },
    change: decision.change,
    outbox,
    guard: worker.definition.guard,
    keepOverdue: hasOtherUnfinishedOperation(image, target.operation),
    ownItem: target.own,
    recordOnly: decision.answer === 'obsolete',
    wakeAtMs: decision.wakeAtMs,
    nowMs,
  });
  return [own, ...decision.also.map((change) => alsoWrite(change, nowMs))];
}

function settlementFacts({
  target,
  hash,
  image,
  holder,
  job,
  worker,
  delivery,
  asked,
}: BegunFacts & { readonly delivery: Delivery; readonly asked: boolean }): SettlementFacts {
  const { definition, timing, timeScale, clock, random } = worker;
  return {
    key: target.key,
    operation: target.operation,
    holder,
    image,
    intentHash: hash,
    intentAtMs: definition.intentAtMs?.(image) ?? Date.parse(job.message.enqueuedAt),
    timing,
    pace: { scale: timeScale, fraction: random.fraction() },
    nowMs: clock.nowMs(),
    messageAgeMs: Math.max(0, clock.nowMs() - delivery.firstReceivedAtMs),
    unresolvedAfterMs: worker.unresolvedAfterMs,
    asked,
    canAsk: definition.ask !== undefined,
  };
}

function expect<T>(value: T | undefined, state: string): T {
  if (value === undefined) throw new Error(`this execution has not ${state} yet`);
  return value;
}
