import type { Invariant } from '../invariant.ts';
import { everythingEnds } from './l1-everything-ends.ts';
import { outboxDrains } from './l2-outbox-drains.ts';
import { cacheAtRest } from './l3-cache-at-rest.ts';
import { unknownResolved } from './l4-unknown-resolved.ts';
import { noSelfLockout } from './l5-no-self-lockout.ts';
import { breakerCloses } from './l6-breaker-closes.ts';
import { poisonOnly } from './l7-poison-only.ts';
import { leaseDeadlines } from './l8-lease-deadlines.ts';
import { capturedIsKnown } from './q03-captured-is-known.ts';
import { oneCharge } from './s01-one-charge.ts';
import { rightCharge } from './s02-right-charge.ts';
import { paidNeedsCharge } from './s03-paid-needs-charge.ts';
import { ackAfterDurable } from './s04-ack-after-durable.ts';
import { oneCommit } from './s05-one-commit.ts';
import { oneEffect } from './s06-one-effect.ts';
import { fencing } from './s07-fencing.ts';
import { legalEdges } from './s08-legal-edges.ts';
import { apiIdempotency } from './s09-api-idempotency.ts';
import { noOrphan } from './s10-no-orphan.ts';
import { stableKey } from './s11-stable-key.ts';
import { unknownHeld } from './s12-unknown-held.ts';
import { cacheHonest } from './s13-cache-honest.ts';
import { invalidationOrder } from './s14-invalidation-order.ts';
import { staleness } from './s15-staleness.ts';
import { breaker } from './s16-breaker.ts';
import { limits } from './s17-limits.ts';
import { conservation } from './s18-conservation.ts';
import { replay } from './s19-replay.ts';
import { noLeaks } from './s20-no-leaks.ts';
import { isolation } from './s21-isolation.ts';
import { skew } from './s22-skew.ts';
import { versions } from './s23-versions.ts';
import { restore } from './s24-restore.ts';
import { rightReceipt } from './s25-right-receipt.ts';
import { stockAddsUp } from './s26-stock-adds-up.ts';
import { wholeExport } from './s27-whole-export.ts';
import { fifoOrder } from './s28-fifo-order.ts';
import { paused } from './s29-paused.ts';

/** Every promise that is watched, in the order of docs/verification.md. */
export const invariants: readonly Invariant[] = [
  oneCharge,
  rightCharge,
  paidNeedsCharge,
  capturedIsKnown,
  ackAfterDurable,
  oneCommit,
  oneEffect,
  fencing,
  legalEdges,
  apiIdempotency,
  noOrphan,
  stableKey,
  unknownHeld,
  cacheHonest,
  invalidationOrder,
  staleness,
  breaker,
  limits,
  conservation,
  replay,
  noLeaks,
  isolation,
  skew,
  versions,
  restore,
  rightReceipt,
  stockAddsUp,
  wholeExport,
  fifoOrder,
  paused,
  everythingEnds,
  outboxDrains,
  cacheAtRest,
  unknownResolved,
  noSelfLockout,
  breakerCloses,
  poisonOnly,
  leaseDeadlines,
];
