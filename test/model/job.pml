/* job.pml: one order's item, several executions, a queue that delivers twice, a provider, an operator, a rescue.
 *
 * Promise: every job ends, each operation takes effect once, nobody writes under a lease that is not his, and whatever is not
 * finished is still somewhere: on its way, in the queue, marked as overdue, or in the dead-letter queue.
 *
 * Modelled, named as in the code
 *   shared/item      claim (operationIsOpen, current, leaseIsFree; attempts spent at the claim; the old outbox dropped), commit
 *                    (leaseIsMine, guard; state, version, record, outbox, release and mark in one write), settle, discard, buried,
 *                    request, re-arm
 *   refusals         ours, completed, discarded (buried or not), ahead, busy; late: committed, discarded, freed, fenced
 *   SDK              the silent resend of a claim, a commit or a discard; a claim or a commit that arrives late (RESEND, LATE_COMMIT)
 *   worker           an unanswered commit followed by a settle; letter, then buried, then the acknowledgement; crashes anywhere
 *   rescue           the overdue mark: set by every failure and discard, sent for each minute (RESCUE); the daily sweep (SWEEP)
 *   stream           the outbox's way to the queue, or an outage that swallows the record (OUTAGE)
 *   people           replay as planned (REPLAY: re-arm, send, delete the letter), a plain redrive by SQS (REDRIVE), a purged queue
 *                    (PURGE), a refund message that no request opened (STRAY), the customer's request for the refund
 * Not modelled
 *   age of keys, asking, void (unknown.pml) · refunds past the horizon (refund.pml) · declines, second attempts, a table put back
 *   (restore.pml) · the cache (cache.pml) · `due:`, the gate, heartbeat and FIFO, which decide when and never whether · sameIntent ·
 *   other items in the commit's transaction · captureIsSettled: `paid` implies it, as the assertion in consistent() shows
 *
 * Each d_step is ONE conditional write, ONE provider call or ONE queue call; between two of them anything may happen.
 * Faults are unlimited unless BUDGET=n is given: then at most n of crash, deadline under a live holder, lost answer, late copy, permanent
 * error, purge, redrive and replay, all together. It stays finite because attempts and letters saturate and because a fence value is taken
 * afresh: in the product the fence only rises, so a new value is one nobody remembers; only equality is ever tested, so here "a value
 * nobody remembers" is all we ask. Any execution may receive any copy that is still queued, at any time, any number of times.          */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef MAX
#define MAX 2            /* MAX_ATTEMPTS; 6 in the product */
#endif
#ifdef BUDGET
#define may  (spent < BUDGET)
#define pay  spent++
#else
#define may  true
#define pay  skip
#endif
#ifndef ONLY_CAPTURE
#define ONLY_CAPTURE 0   /* 1: the customer never asks for a refund */
#endif
#if defined(RESEND) || defined(LATE_COMMIT)
#define ANSWERS_GET_LOST
#endif

mtype = { pending_payment, paid, refund_pending, refunded };            /* order status */
mtype = { open, completed, discarded };                                 /* op:<operation> */
mtype = { IDLE, CLAIM, CALL, COMMIT, SETTLE, RELEASE, DISCARD, LETTER, BURIED, ACK };
#define CAPTURE 0        /* capture:1 */
#define REFUND  1        /* refund:1 */
#define NOBODY  0
#define DEAD    9        /* an execution that is over: the lease it left can only end by its deadline */

/* ---- the item ---- */
mtype status = pending_payment;  byte version = 1;
bool  held, passed;      byte owner, fence;      /* lease; `passed`: its deadline has passed */
mtype op[2] = open;      byte by[2], tries[2];
bool  buried[2];         byte discardOf[2];      /* the letter is out; which discard the record is (0 none) */
bool  marked;                                    /* overdueAtMs */
bool  requested;                                 /* refundAttempt = 1 */
byte  outbox;                                    /* 0, or 1 + index of the record it left in */

/* ---- what happened outside ---- */
byte  emitted[2];                                /* commits that changed the state */
byte  charges, refunds;  bool captureKey, refundKey;                    /* the provider; here it remembers keys for ever */
bool  copy[5];           byte letters[2];        /* 0 capture, 1 its duplicate, 2 sent again, 3 refund, 4 sent again */
bool  carries[2];                                /* the copy sent again carries the letter it came from */
bool  record[3], receipt;                        /* stream records under way: accept, capture's commit, request; the receipt's job is out */
#define again(m)     (m == CAPTURE -> 2 : 4)
#define copyLeft(m)  ((m == CAPTURE && (copy[0] || copy[1] || copy[2] || record[0])) || (m == REFUND && (copy[3] || copy[4] || record[2])))
#define quietQueue   (!copy[0] && !copy[1] && !copy[2] && !copy[3] && !copy[4])
bool  ghost;       byte ghostOp, ghostTok, ghostBy;                     /* a second copy of a claim, still in the network */
bool  lateCommit;  byte lateOp, lateTok, lateFence, lateBy;             /* a commit without an answer, still in the network */

/* ---- executions (global only so that a fresh value can be found) ---- */
byte  tok[WORKERS+1], f[WORKERS+1];              /* owner token and the fence they believe in */
byte  hand[WORKERS+1];                           /* 1 + the copy in its hands, 0 none */
byte  rec[WORKERS+1];                            /* the discard whose letter it is about to send, 0 none */

/* ---- history, for checking only ---- */
byte  lessee = NOBODY;                           /* whose execution rightfully holds the lease */
byte  spent;  bool replaying[2];

/* ---- the named conditions of shared/item/conditions.ts, each with its broken form ---- */
#ifdef CLAIM_NO_OPEN
#define operationIsOpen(m) true
#else
#define operationIsOpen(m) (op[m] == open)
#endif
#ifdef CLAIM_NO_CURRENT
#define current(m) true
#else
#define current(m) (m == CAPTURE || requested)
#endif
#if defined(CLAIM_NO_LEASE) || defined(NO_LEASE)
#define leaseIsFree true
#else
#define leaseIsFree (!held || passed)
#endif
#define isMine(t, n) (held && owner == t && fence == n)
#ifdef COMMIT_NO_FENCE
#define commitLease(t, n) true
#else
#define commitLease(t, n) isMine(t, n)
#endif
#ifdef RELEASE_NO_OWNER
#define releaseLease held
#else
#define releaseLease isMine(tok[me], f[me])
#endif
#define mattersStill(m) ((m == CAPTURE && status == pending_payment) || (m == REFUND && status == refund_pending))
#ifdef COMMIT_NO_GUARD
#define guard(m) true
#else
#define guard(m) mattersStill(m)
#endif
#define claimable(m) (operationIsOpen(m) && current(m) && leaseIsFree)
#ifdef REQUEST_ON_HELD
#define requestLease true
#else
#define requestLease (!held || passed)
#endif
#ifdef BURIED_NAMES_NO_RECORD
#define recordIsMine (op[m] == discarded)
#else
#define recordIsMine (op[m] == discarded && discardOf[m] == rec[me])
#endif
/* What the rescue and the sweep take for finished: shared/rescue/unfinished.ts. */
#define isFinished(m) (op[m] == completed || (op[m] == discarded && buried[m]))
#define wanted(m)     (m == CAPTURE || requested)

/* S5, S8: status, operation record and outbox change in the same write, the version with them. */
inline consistent() {
  assert((status != pending_payment) == (op[CAPTURE] == completed) && (op[CAPTURE] == completed) == (emitted[CAPTURE] == 1));
  assert((status == refunded) == (op[REFUND] == completed) && (op[REFUND] == completed) == (emitted[REFUND] == 1));
  assert(requested == (status == refund_pending || status == refunded));
  assert(version == 1 + emitted[CAPTURE] + emitted[REFUND] + requested);
  /* Begun and unfinished is one operation at a time, so no commit can erase another operation's mark. */
  assert(!(tries[CAPTURE] > 0 && op[CAPTURE] != completed && tries[REFUND] > 0 && op[REFUND] != completed))
}
/* S10, S18: an operation that is called for and not finished is still somewhere. What a purge takes is the sweep's to find again. */
#ifdef PURGE
#ifdef SWEEP
inline no_orphan(m) { skip }                     /* judged when nothing can move any more */
#else
inline no_orphan(m) { assert(op[m] != discarded || copyLeft(m) || letters[m] > 0 || replaying[m] || marked) }
#endif
#else
inline no_orphan(m) { assert(!wanted(m) || op[m] == completed || copyLeft(m) || letters[m] > 0 || replaying[m]) }
#endif

#if WORKERS > 2
#define third(v) || tok[3] == v || f[3] == v
#define inHand(c) (hand[1] == c+1 || hand[2] == c+1 || hand[3] == c+1)
#define aboutToSend(v) (rec[1] == v || rec[2] == v || rec[3] == v)
#else
#define third(v)
#define inHand(c) (hand[1] == c+1 || hand[2] == c+1)
#define aboutToSend(v) (rec[1] == v || rec[2] == v)
#endif
#define remembered(v) ((held && (owner == v || fence == v)) || tok[1] == v || f[1] == v || tok[2] == v || f[2] == v third(v) \
                       || (ghost && ghostTok == v) || (lateCommit && (lateTok == v || lateFence == v)) || by[0] == v || by[1] == v)

/* The claim applies. The execution's owner token is random and unique; its value is chosen at its first applied claim. */
inline apply_claim(m, t, who) {
#ifndef NO_LEASE
  assert(lessee == NOBODY || passed);            /* F1: nobody loses a lease before its deadline */
#endif
  v = 1; do :: remembered(v) -> v++ :: else -> break od;
  fence = v; t = (t == 0 -> v : t); v = 0; held = true; owner = t; passed = false; lessee = who;
  tries[m] = (tries[m] > MAX -> tries[m] : tries[m] + 1);
  outbox = 0;
}
/* The lease attributes go: only by the one who rightfully holds it (S7). */
inline remove_lease(who) { assert(lessee == who); held = false; owner = 0; fence = 0; passed = false; lessee = NOBODY }
/* This execution is over: crashed, handed back, or acknowledged. */
inline over() {
  if :: lessee == me -> lessee = DEAD :: else fi;
  if :: ghostBy == me -> ghostBy = DEAD :: else fi;
  if :: lateBy == me -> lateBy = DEAD :: else fi;
  if :: tok[me] != 0 && by[0] == tok[me] -> by[0] = 0 :: else fi;       /* nobody with this token will ask again */
  if :: tok[me] != 0 && by[1] == tok[me] -> by[1] = 0 :: else fi;
  tok[me] = 0; f[me] = 0; hand[me] = 0; rec[me] = 0; m = 0; st = IDLE
}
/* The lease is ours (claim applied, or found to be ours after a silent resend): `run` decides on the image that came back. */
inline decide() {
  f[me] = fence;
  if
  :: tries[m] > MAX -> st = DISCARD              /* spent; the claim spends, so crashes count */
#ifdef REFUND_NO_STATUS
  :: tries[m] <= MAX && m == REFUND -> st = CALL
  :: tries[m] <= MAX && m == CAPTURE && mattersStill(m) -> st = CALL
  :: tries[m] <= MAX && m == CAPTURE && !mattersStill(m) -> st = COMMIT
#else
  :: tries[m] <= MAX && mattersStill(m)  -> st = CALL
  :: tries[m] <= MAX && !mattersStill(m) -> st = COMMIT                  /* obsolete (B7): the operation is recorded, nothing else */
#endif
  fi
}
inline provider_does() {
#ifdef CHECK_S11
  assert(op[m] == open);                         /* read literally: "no provider call after the operation finished" */
#endif
  if
#ifdef KEY_PER_ATTEMPT
  :: m == CAPTURE -> charges++; assert(charges <= 1)
#else
  :: m == CAPTURE && captureKey  -> skip                                /* same key: the stored answer */
  :: m == CAPTURE && !captureKey -> captureKey = true; charges++; assert(charges <= 1); assert(refunds == 0)      /* S1 */
#endif
  :: m == REFUND && refundKey    -> skip
  :: m == REFUND && !refundKey   -> refundKey = true; refunds++; assert(charges == 1 && refunds <= 1)  /* no refund without capture */
  fi
}
/* commit: change, version, operation record, outbox; lease, bookkeeping and mark removed. One write. */
inline apply_commit(m, t, who) {
  remove_lease(who);
  if
  :: guard(m) ->
       status = (m == CAPTURE -> paid : refunded); version++; emitted[m]++;
       if :: m == CAPTURE && !ONLY_CAPTURE -> outbox = 2; record[1] = true :: else fi
  :: else
  fi;
  tries[m] = 0; marked = false;
#ifndef COMMIT_NO_RECORD
  op[m] = completed; by[m] = t;
#endif
  consistent()
}
inline apply_discard() {
  remove_lease(me); op[m] = discarded; by[m] = tok[me]; buried[m] = false;
  v = 1; do :: aboutToSend(v) -> v++ :: else -> break od;
  discardOf[m] = v; rec[me] = v; v = 0;
#ifndef DISCARD_NO_MARK
  marked = true;
#endif
  consistent()
}
#ifdef ACK_BEFORE_COMMIT
#define AFTER_CALL ACK
#else
#define AFTER_CALL COMMIT
#endif
#if defined(ACK_BEFORE_LETTER)
#define AFTER_DISCARD ACK
#elif defined(BURIED_BEFORE_LETTER)
#define AFTER_DISCARD BURIED
#else
#define AFTER_DISCARD LETTER
#endif
#ifdef BURIED_BEFORE_LETTER
#define AFTER_LETTER ACK
#define AFTER_BURIED LETTER
#else
#define AFTER_LETTER (rec[me] == 0 -> ACK : BURIED)
#define AFTER_BURIED ACK
#endif
#ifdef REDRIVE_SWALLOWED
#define carriesLetter false
#else
#define carriesLetter ((hand[me] == 3 && carries[CAPTURE]) || (hand[me] == 5 && carries[REFUND]))
#endif

proctype Execution(byte me) {
  mtype st = IDLE; byte m, v;
end:
  do
  /* receive any copy still in the queue */
  :: d_step { st == IDLE && copy[0] -> hand[me] = 1; m = CAPTURE; st = CLAIM }
  :: d_step { st == IDLE && copy[1] -> hand[me] = 2; m = CAPTURE; st = CLAIM }
  :: d_step { st == IDLE && copy[2] -> hand[me] = 3; m = CAPTURE; st = CLAIM }
  :: d_step { st == IDLE && copy[3] -> hand[me] = 4; m = REFUND;  st = CLAIM }
  :: d_step { st == IDLE && copy[4] -> hand[me] = 5; m = REFUND;  st = CLAIM }

  /* claim: applied ... */
  :: d_step { st == CLAIM && claimable(m) -> apply_claim(m, tok[me], me); decide() }
#ifdef RESEND
  /* ... applied, answer lost: the SDK silently sends the same request again */
  :: d_step { st == CLAIM && claimable(m) && may -> pay; apply_claim(m, tok[me], me) }
  /* ... applied, and a second copy of the request stays in the network */
  :: d_step { st == CLAIM && claimable(m) && !ghost && may -> pay; apply_claim(m, tok[me], me);
              ghost = true; ghostOp = m; ghostTok = tok[me]; ghostBy = me; decide() }
#endif
  /* claim refused; the old item came back and says why (readClaimRefusal) */
  :: d_step { st == CLAIM && !claimable(m) ->
       if
#ifdef OWNER_IS_MESSAGE
       :: held -> tok[me] = owner; decide()                             /* broken: two executions with one owner token */
#endif
       :: held && tok[me] != 0 && owner == tok[me] -> decide()          /* ours: our own write, sent twice */
       :: else ->
            if
            :: op[m] == completed -> st = ACK                           /* duplicate */
            :: op[m] == discarded && buried[m] && !carriesLetter -> st = ACK              /* duplicate-of-discarded */
            :: op[m] == discarded && !(buried[m] && !carriesLetter) -> rec[me] = discardOf[m]; st = AFTER_DISCARD
            :: op[m] == open && !current(m) -> st = LETTER              /* ahead: attempt-not-opened, not a word on the item */
            :: op[m] == open && current(m)  -> over()                   /* busy: hand back */
            fi
       fi }

  /* provider: answers, or times out after charging, or times out before charging (the last two look the same), or refuses for good */
  :: d_step { st == CALL -> provider_does(); st = AFTER_CALL }
  :: d_step { st == CALL && may -> pay; provider_does(); st = (tries[m] < MAX -> RELEASE : DISCARD) }
  :: d_step { st == CALL && may -> pay; st = (tries[m] < MAX -> RELEASE : DISCARD) }
#ifndef PAID                                    /* refused for good: an end with a letter, whatever attempts are left */
  :: d_step { st == CALL && may -> pay; st = DISCARD }
#endif

  :: d_step { st == COMMIT && commitLease(tok[me], f[me]) -> apply_commit(m, tok[me], me); st = ACK }
#ifdef ANSWERS_GET_LOST
  :: d_step { st == COMMIT && commitLease(tok[me], f[me]) && may -> pay; apply_commit(m, tok[me], me) }   /* answer lost: sent again */
  :: d_step { st == COMMIT && may -> pay; st = SETTLE }                 /* no answer, not applied */
#endif
#ifdef LATE_COMMIT
  :: d_step { st == COMMIT && !lateCommit && may -> pay;                /* no answer, arrives later */
              lateCommit = true; lateOp = m; lateTok = tok[me]; lateFence = f[me]; lateBy = me; st = SETTLE }
#endif
  :: d_step { st == COMMIT && !commitLease(tok[me], f[me]) ->
       if :: op[m] == completed && by[m] == tok[me] -> st = ACK         /* committed: our own write, sent twice */
          :: else -> over()                                             /* fenced: change nothing, hand back */
       fi }
#ifdef ANSWERS_GET_LOST
  /* the settle after an unanswered commit meets the commit, or frees the item */
  :: d_step { st == SETTLE ->
       if
       :: isMine(tok[me], f[me]) -> remove_lease(me); marked = true; over()
       :: else -> if :: op[m] == completed && by[m] == tok[me] -> st = ACK :: else -> over() fi
       fi }
  :: d_step { st == SETTLE && may -> pay; over() }                      /* settle-unanswered: the lease runs out */
#endif

  :: d_step { st == RELEASE -> if :: releaseLease -> remove_lease(me); marked = true :: else fi; over() }

  :: d_step { st == DISCARD ->
       if :: isMine(tok[me], f[me]) -> apply_discard(); st = AFTER_DISCARD
          :: else ->
               if :: op[m] == discarded && tok[me] != 0 && by[m] == tok[me] -> rec[me] = discardOf[m]; st = AFTER_DISCARD
                  :: else -> over()
               fi
       fi }
#ifdef ANSWERS_GET_LOST
  :: d_step { st == DISCARD && isMine(tok[me], f[me]) && may -> pay; apply_discard(); rec[me] = 0 }       /* answer lost: sent again */
#endif
  :: d_step { st == LETTER -> letters[m] = (letters[m] > 1 -> 2 : letters[m] + 1); st = AFTER_LETTER }
  :: d_step { st == BURIED -> if :: recordIsMine -> buried[m] = true; marked = false :: else fi; st = AFTER_BURIED }
  :: d_step { st == BURIED && may -> pay; st = AFTER_BURIED }           /* no answer: a later copy repeats the letter */
  :: d_step { st == ACK ->
       copy[hand[me]-1] = false;
       if :: hand[me] == 3 -> carries[CAPTURE] = false :: hand[me] == 5 -> carries[REFUND] = false :: else fi;
       no_orphan(m);
#ifdef CHECK_S4
       assert(op[m] == completed || letters[m] > 0);                    /* read literally, at the moment of the ack */
#endif
#ifdef ACK_BEFORE_COMMIT
       if :: held && owner == tok[me] -> st = COMMIT :: else -> over() fi
#else
       over()
#endif
     }
  :: d_step { st != IDLE && may -> pay; over() }                        /* a crash, anywhere */
  od
}

#ifndef LEASE_NO_DEADLINE
/* Time. All it can do is let a deadline pass; a dead holder's deadline always passes. */
proctype Clock() {
end:
  do
  :: d_step { held && !passed && lessee == DEAD -> passed = true }
  :: d_step { held && !passed && lessee != DEAD && may -> pay; passed = true }
  od
}
#endif

/* What was sent and not answered arrives, late. Its sender may still run (the fence then moves under its feet) or be gone. */
proctype Network() {
  byte v;
end:
  do
  :: d_step { ghost ->
       if :: claimable(ghostOp) -> apply_claim(ghostOp, ghostTok, ghostBy) :: else fi;
       ghost = false; ghostOp = 0; ghostTok = 0; ghostBy = NOBODY }
  :: d_step { lateCommit ->
       if :: commitLease(lateTok, lateFence) && guard(lateOp) -> apply_commit(lateOp, lateTok, lateBy) :: else fi;
       lateCommit = false; lateOp = 0; lateTok = 0; lateFence = 0; lateBy = NOBODY }
  od
}

/* POST …/refunds: a wish on an item no job holds. Raising the fence locks out an owner whose lease has passed. */
proctype Customer() {
  byte v;
end:
  do
  :: d_step { status == paid && !requested && requestLease ->
       assert(lessee == NOBODY || passed);
       v = 1; do :: remembered(v) -> v++ :: else -> break od;
       fence = 0; v = 0; held = false; owner = 0; passed = false; lessee = NOBODY;
       requested = true; status = refund_pending; version++; op[REFUND] = open; tries[REFUND] = 0; marked = false; outbox = 3;
#ifdef OUTAGE
       record[2] = true;
#else
       copy[3] = true;
#endif
       consistent() }
  od
}

#ifdef RESCUE
/* rescue-jobs: moves the mark on (here: it stays), then sends what the item calls for; it may die in between. */
proctype Rescue() {
  byte m; bool sends;
end:
  do
  :: d_step { !sends && marked && !held && !isFinished(CAPTURE) && !copy[2] && !inHand(2) -> m = CAPTURE; sends = true }
  :: d_step { !sends && marked && !held && wanted(REFUND) && !isFinished(REFUND) && !copy[4] && !inHand(4) -> m = REFUND; sends = true }
  :: d_step { sends && !copy[again(m)] && !inHand(again(m)) -> copy[again(m)] = true; sends = false; m = 0 }
  :: d_step { sends -> sends = false; m = 0 }
  od
}
#endif
#ifdef PURGE
/* Somebody purges a queue, or a message outlives its retention. */
proctype Purge() {
end:
  do
  :: d_step { copy[0] && may -> pay; copy[0] = false }
  :: d_step { copy[2] && !carries[CAPTURE] && may -> pay; copy[2] = false }
  :: d_step { copy[3] && may -> pay; copy[3] = false }
  :: d_step { copy[4] && !carries[REFUND] && may -> pay; copy[4] = false }
  od
}
#endif
#ifdef REDRIVE
/* A dead letter moved back by SQS's own means: the message comes with its letter, the item knows nothing of it. */
proctype Redrive() {
end:
  do
  :: d_step { letters[CAPTURE] > 0 && !copy[2] && !inHand(2) && may -> pay; letters[CAPTURE]--; copy[2] = true; carries[CAPTURE] = true }
  :: d_step { letters[REFUND]  > 0 && !copy[4] && !inHand(4) && may -> pay; letters[REFUND]--;  copy[4] = true; carries[REFUND] = true }
  od
}
#endif

#ifdef REPLAY
/* Replay of a letter: (audit,) re-arm, send, delete the letter. The tool may die between any two. A replay is a new message with its own
 * receipt, so a slot of `copy` is used again only when no execution still has the old one in its hands. */
proctype Operator() {
  byte st, m;
end:
  do
  :: d_step { st == 0 && letters[CAPTURE] > 0 && !copy[2] && !inHand(2) && may -> pay; m = CAPTURE; replaying[m] = true; st = 1 }
  :: d_step { st == 0 && letters[REFUND]  > 0 && !copy[4] && !inHand(4) && may -> pay; m = REFUND;  replaying[m] = true; st = 1 }
#if defined(REARM_AFTER_SEND)
  :: d_step { st == 1 && !copy[again(m)] && !inHand(again(m)) -> copy[again(m)] = true; st = 2 }
  :: d_step { st == 2 -> if :: op[m] == discarded -> op[m] = open; discardOf[m] = 0; by[m] = 0; tries[m] = 0 :: else fi; st = 4 }
#else
  :: d_step { st == 1 ->
#ifdef REARM_ANY
       op[m] = open; discardOf[m] = 0; by[m] = 0; tries[m] = 0; consistent(); st = 2
#else
       if
       :: op[m] == discarded -> op[m] = open; discardOf[m] = 0; by[m] = 0; tries[m] = 0; st = 2  /* operationIsDiscarded */
       :: op[m] == open      -> st = 2
       :: op[m] == completed -> st = 4                                  /* refused: finished; the letter goes, audited */
       fi
#endif
     }
#ifdef DELETE_BEFORE_SEND
  :: d_step { st == 2 -> letters[m]--; st = 3 }
  :: d_step { st == 3 && !copy[again(m)] && !inHand(again(m)) -> copy[again(m)] = true; replaying[m] = false; m = 0; st = 0 }
#else
  :: d_step { st == 2 && !copy[again(m)] && !inHand(again(m)) -> copy[again(m)] = true; st = 4 }
#endif
#endif
  :: d_step { st == 4 -> letters[m]--; replaying[m] = false; no_orphan(m); m = 0; st = 0 }
#ifndef TOOL_SURVIVES
  :: d_step { st != 0 && may -> pay; replaying[m] = false; no_orphan(m); m = 0; st = 0 }
#endif
  od
}
#endif

#ifdef OUTAGE
/* The stream carries a change's record to the dispatcher, or an outage of a day swallows it. */
proctype Stream() {
end:
  do
  :: d_step { record[0] -> record[0] = false; copy[0] = true }
  :: d_step { record[1] -> record[1] = false; receipt = true }
  :: d_step { record[2] -> record[2] = false; copy[3] = true }
  :: d_step { record[0] && may -> pay; record[0] = false }
  :: d_step { record[1] && may -> pay; record[1] = false }
  :: d_step { record[2] && may -> pay; record[2] = false }
  od
}
#endif
#ifdef SWEEP
/* sweep-state: once a day, what the item's state calls for and has not got. */
proctype Sweep() {
end:
  do
#ifdef SWEEP_FROM_OUTBOX
  :: d_step { outbox == 1 && !record[0] && !isFinished(CAPTURE) && !copy[2] && !inHand(2) -> copy[2] = true }
  :: d_step { outbox == 2 && !record[1] && !receipt -> receipt = true }
  :: d_step { outbox == 3 && !record[2] && !isFinished(REFUND) && !copy[4] && !inHand(4) -> copy[4] = true }
#else
  :: d_step { !isFinished(CAPTURE) && !copy[2] && !inHand(2) -> copy[2] = true }
  :: d_step { wanted(REFUND) && !isFinished(REFUND) && !copy[4] && !inHand(4) -> copy[4] = true }
  :: d_step { op[CAPTURE] == completed && !record[1] && !receipt -> receipt = true }
#endif
  od
}
#endif

#ifndef LIVE
/* When nothing can move any more. */
proctype Quiet() {
  timeout ->
  assert(quietQueue);                                                   /* L1 */
  assert(!held || passed);                                              /* L8 no lease without a deadline */
#if defined(PURGE) && !defined(SWEEP)
  assert(op[CAPTURE] != discarded || letters[CAPTURE] > 0);             /* a discard never stays without its letter */
  assert(op[REFUND] != discarded || letters[REFUND] > 0);
#else
  assert(op[CAPTURE] == completed || letters[CAPTURE] > 0);             /* Q3, S18 */
  assert(op[REFUND] == completed || letters[REFUND] > 0 || !requested);
#endif
#ifdef TOOL_SURVIVES
  assert(op[CAPTURE] != open && (op[REFUND] != open || ONLY_CAPTURE));  /* what was replayed ran to an end */
#endif
#ifdef OUTAGE
  assert(op[CAPTURE] != completed || receipt);                          /* L2, G7: no outbox entry is lost */
#endif
  consistent()
}
#endif

#ifdef LIVE
/* The world goes on even when nothing is left to do. (Under weak fairness, spin -f, a run that stops is not seen as an endless one.) */
bool turning = true;
proctype World() { do :: turning od }
#endif
init {
  d_step {
    outbox = 1;
#ifdef OUTAGE
    record[0] = true;
#else
    copy[0] = true;
#endif
#ifdef DUPLICATE
    copy[1] = true;
#endif
#ifdef STRAY
    copy[4] = true;
#endif
  }
  atomic {
#ifdef LIVE
    run World();
#endif
    run Execution(1); run Execution(2);
#if WORKERS > 2
    run Execution(3);
#endif
#ifndef LEASE_NO_DEADLINE
    run Clock();
#endif
#ifdef ANSWERS_GET_LOST
    run Network();
#endif
#if !ONLY_CAPTURE
    run Customer();
#endif
#ifdef RESCUE
    run Rescue();
#endif
#ifdef PURGE
    run Purge();
#endif
#ifdef REDRIVE
    run Redrive();
#endif
#ifdef REPLAY
    run Operator();
#endif
#ifdef OUTAGE
    run Stream();
#endif
#ifdef SWEEP
    run Sweep();
#endif
#ifndef LIVE
    run Quiet()
#endif
  }
}
#ifdef LIVE
#ifdef PAID
ltl gets_paid { <> (status != pending_payment) }   /* with fewer faults than attempts the order is paid */
#else
ltl ends { <>[] quietQueue }                       /* L1: every copy leaves the queue for good; S4 says what that means */
#endif
#endif
