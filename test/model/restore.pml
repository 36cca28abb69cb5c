/* restore.pml: payment attempts of one order, and a table put back to an earlier moment of its life.
 *
 * Promise: over all attempts and whatever the table has forgotten, the order is charged at most once; an attempt that was declined is
 * not charged; a message of an attempt that the item does not know (yet, or any more) touches nothing.
 *
 * Modelled, named as in the code
 *   shared/jobs/capture-payment.ts   the intent comes from the item, the key from the message; asksAtOnce for every attempt but the first;
 *                                    past the last call void; answers as in unknown.pml
 *   shared/requests/wishes.ts        payment_declined → pending_payment, attempt + 1, intentAtMs = now, its operation opened anew
 *   shared/item                      operationIsOpen and `current` (attempt) of the claim, the guard and the lease of the commit
 *   docs/restore.md                  whole items put back while nothing runs; messages stay, the sweep finds what the state calls for
 * Not modelled
 *   the Control row askFirst: it lapses after 14 days, and captures are safe without it, as this model shows (receipts are not)
 *   lease in full, letters, replay (job.pml) · attempts of one message, 48 h (unknown.pml) · refunds (refund.pml)
 *
 * Faults are unlimited unless BUDGET is given. Time is `age` of each attempt's intent as in unknown.pml.                             */
#define ATTEMPTS 2
mtype = { pending_payment, paid, payment_declined };
mtype = { none, charge, decline };                 /* what the provider stored under a key */
mtype = { IDLE, CLAIM, ASK, RUN, CALL, VOID, COMMIT, RELEASE };
#define NOBODY 0
#define DEAD   9
#ifdef BUDGET
byte  troubles;
#define may  (troubles < BUDGET)
#define pay  troubles++
#else
#define may  true
#define pay  skip
#endif

/* ---- the item; entry 0 of an array is unused ---- */
mtype status = pending_payment;  byte attempt = 1;
bool  completed[ATTEMPTS+1], sent[ATTEMPTS+1];
byte  age[ATTEMPTS+1];                             /* of each attempt's intentAtMs */
byte  holder = NOBODY;  bool passed;
/* ---- the provider ---- */
byte  charges;                                     /* of the order, all attempts together */
bool  captured[ATTEMPTS+1], voided[ATTEMPTS+1];    /* per payment intent */
mtype memory[ATTEMPTS+1] = none;                   /* per key */
byte  memoryIntent[ATTEMPTS+1], memoryAge[ATTEMPTS+1];
/* ---- queue, people ---- */
bool  copy[ATTEMPTS+1];
byte  deciding[ATTEMPTS+1];                        /* executions that decided on a call that has not left */
bool  restored, wasDeclined;  byte running;

#define leaseIsMine (holder == me)
#define leaseIsFree (holder == NOBODY || passed)
#ifdef CLAIM_NO_CURRENT
#define current true
#else
#define current (n == attempt)
#endif
#ifdef NO_ASK_AT_ONCE
#define asks earlier
#else
#define asks (earlier || n > 1)
#endif
#ifdef VOID_SKIPPED
#define AFTER_HORIZON answer = decline; st = COMMIT
#else
#define AFTER_HORIZON st = VOID
#endif

inline safe() {
  assert(charges <= 1);                                                  /* S1 */
  assert(!(status == payment_declined && captured[attempt]));            /* S12 */
  assert(!(status == paid && !captured[attempt]))                        /* S3 */
}
inline charges_now(n, i) {
  memory[n] = charge; memoryIntent[n] = i; memoryAge[n] = 0; captured[i] = true; charges++; safe()
}
inline declines_now(n, i) { memory[n] = decline; memoryIntent[n] = i; memoryAge[n] = 0 }
inline over() {
  if :: holder == me -> holder = DEAD :: else fi;
  n = 0; i = 0; earlier = false; running--; answer = none; st = IDLE
}

proctype Execution(byte me) {
  mtype st = IDLE, answer = none;  byte n, i;      /* the message's attempt; the intent, from the item */
  bool earlier;
end:
  do
  :: d_step { st == IDLE && copy[1] -> n = 1; running++; st = CLAIM }
  :: d_step { st == IDLE && copy[2] -> n = 2; running++; st = CLAIM }

  :: d_step { st == CLAIM && !completed[n] && current && leaseIsFree ->
       holder = me; passed = false; i = attempt; earlier = sent[n]; sent[n] = true;
       st = (status != pending_payment -> COMMIT : (asks -> ASK : RUN)) }        /* COMMIT without an answer: obsolete */
  :: d_step { st == CLAIM && !(!completed[n] && current && leaseIsFree) ->
       if
       :: completed[n] -> copy[n] = false                     /* duplicate */
       :: !completed[n] && !current -> copy[n] = false        /* superseded, or ahead: a letter */
       :: else                                                /* busy */
       fi;
       over() }

  :: d_step { st == ASK ->
       if
       :: captured[i]               -> answer = charge; st = COMMIT
       :: !captured[i] && voided[i] -> answer = decline; st = COMMIT
       :: !captured[i] && !voided[i] && age[i] >= 1 -> AFTER_HORIZON
       :: !captured[i] && !voided[i] && age[i] == 0 -> st = RUN
       fi }
  :: d_step { st == ASK && may -> pay; st = RELEASE }
  :: d_step { st == RUN -> if :: age[i] >= 1 -> AFTER_HORIZON :: else -> deciding[n]++; st = CALL fi }

  /* capture(key of the message, intent of the item): decided now, stored answer, key used for another intent, answer lost, never arrived */
  :: d_step { st == CALL && memory[n] == none && !voided[i] -> deciding[n]--; charges_now(n, i); answer = charge; st = COMMIT }
  :: d_step { st == CALL && memory[n] == none -> deciding[n]--; declines_now(n, i); answer = decline; st = COMMIT }
  :: d_step { st == CALL && memory[n] != none && memoryIntent[n] == i -> deciding[n]--; answer = memory[n]; st = COMMIT }
  :: d_step { st == CALL && memory[n] != none && memoryIntent[n] != i -> deciding[n]--; st = RELEASE }
  :: d_step { st == CALL && memory[n] == none && !voided[i] && may -> pay; deciding[n]--; charges_now(n, i); st = RELEASE }
  :: d_step { st == CALL && memory[n] == none && may -> pay; deciding[n]--; declines_now(n, i); st = RELEASE }
  :: d_step { st == CALL && may -> pay; deciding[n]--; st = RELEASE }

  :: d_step { st == VOID -> if :: captured[i] -> answer = charge :: else -> voided[i] = true; answer = decline fi; st = COMMIT }
  :: d_step { st == VOID && may -> pay; if :: captured[i] -> skip :: else -> voided[i] = true fi; st = RELEASE }
  :: d_step { st == VOID && may -> pay; st = RELEASE }

  :: d_step { st == COMMIT ->
       if
       :: leaseIsMine && (status == pending_payment || answer == none) ->
            holder = NOBODY; passed = false; completed[n] = true; sent[n] = false; copy[n] = false;
            status = (answer == none -> status : (answer == charge -> paid : payment_declined)); safe();
            wasDeclined = wasDeclined || (n == 1 && status == payment_declined);
            over()
       :: else -> over()                                      /* fenced */
       fi }
  :: d_step { st == RELEASE -> if :: leaseIsMine -> holder = NOBODY; passed = false :: else fi; over() }
  :: d_step { st != IDLE && st != CALL && may -> pay; over() }           /* a crash */
  :: d_step { st == CALL && may -> pay; deciding[n]--; over() }
  od
}

/* POST …/payment-attempts: a new intent with a new key. */
proctype Customer() {
end:
  do
  :: d_step { status == payment_declined && leaseIsFree && attempt < ATTEMPTS ->
       attempt++; status = pending_payment; holder = NOBODY; passed = false;
       completed[attempt] = false; age[attempt] = 0; copy[attempt] = true }
  od
}
proctype Deadline() {
end:
  do
  :: d_step { holder == DEAD && !passed -> passed = true }
  :: d_step { holder != NOBODY && holder != DEAD && !passed && may -> pay; passed = true }
  od
}
#define aging(n) \
  :: d_step { attempt >= n && age[n] == 0 -> age[n] = 1; memoryAge[n] = (memoryAge[n] == 0 -> 1 : memoryAge[n]) } \
  :: d_step { attempt >= n && age[n] == 1 && deciding[n] == 0 -> age[n] = 2; memoryAge[n] = 2 } \
  :: d_step { memory[n] != none && memoryAge[n] == 2 -> memory[n] = none; memoryIntent[n] = 0; memoryAge[n] = 0 }
proctype Time() {
end:
  do
  aging(1)
  aging(2)
  od
}
/* Put back to the first attempt, pending or declined, with nothing running, hours or weeks later. */
inline put_back(to, done) {
  restored = true; attempt = 1; status = to; holder = NOBODY; passed = false;
  completed[1] = done; completed[2] = false; sent[1] = false; sent[2] = false; copy[1] = copy[1] || !done;
#ifdef NEXT_DAY                                    /* longer ago than the provider remembers */
  memory[1] = none; memory[2] = none; memoryIntent[1] = 0; memoryIntent[2] = 0; memoryAge[1] = 0; memoryAge[2] = 0; age[1] = 2;
#endif
  age[2] = 0
}
proctype Restore() {
end:
  do
  :: d_step { !restored && running == 0 -> put_back(pending_payment, false) }
  :: d_step { !restored && running == 0 && wasDeclined -> put_back(payment_declined, true) }
  od
}
proctype Quiet() {
  timeout -> assert(!copy[1] && !copy[2]); assert(status != pending_payment); safe()
}
init {
  copy[1] = true;
  atomic {
    run Execution(1); run Execution(2); run Customer(); run Deadline(); run Time(); run Restore(); run Quiet()
  }
}
