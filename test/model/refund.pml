/* refund.pml: refunds of one order, the day on which the provider forgets their keys, and a table put back to an earlier day.
 *
 * Promise: the money goes back at most once; a refund is never called off (the order `paid` again) while it was or will be carried out.
 *
 * Modelled, named as in the code
 *   shared/jobs/refund-payment.ts    asks before its first call, always; in the key's last hour it only asks; past the horizon and still
 *                                    captured it is `expired`: the order is paid again, and a new refund has a new key
 *   shared/requests/wishes.ts        paid → refund_pending, refundAttempt + 1, refundAtMs = now
 *   shared/item                      operationIsOpen and `current` (refundAttempt) of the claim, the guard and the lease of the commit
 *   docs/restore.md                  RESTORE: items put back while nothing runs, messages stay; a request then opens the same number again
 * A refund cannot be voided, so the hour without calls and the wait until the provider has forgotten carry the promise alone.
 * Not modelled
 *   lease in full, letters, replay (job.pml) · attempts (unknown.pml) · refunds made by hand at the provider
 *
 * Faults are unlimited unless BUDGET is given. Time is `age` of each refund's intent: 0 calls are made, 1 only questions, 2 the provider
 * may forget. -DNO_MARGIN takes the assumption behind the hour away: a call decided on at age 0 may then arrive after the horizon.   */
#define REFUNDS 2
mtype = { paid, refund_pending, refunded };
mtype = { none, gave_back, refusal };              /* what the provider stored under a key */
mtype = { IDLE, CLAIM, ASK, RUN, CALL, COMMIT, RELEASE };
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
mtype status = paid;  byte refundAttempt;
bool  completed[REFUNDS+1];                        /* op:refund:<n> */
byte  age[REFUNDS+1];                              /* of refundAtMs; kept per number, the item holds the latest */
byte  holder = NOBODY;  bool passed;
/* ---- the provider ---- */
byte  refunds;                                     /* carried out */
mtype memory[REFUNDS+1] = none;
byte  memoryAge[REFUNDS+1];                        /* as age, of the key's first use */
bool  late[REFUNDS+1];                             /* given up here, arrives there later */
/* ---- queue, people ---- */
bool  copy[REFUNDS+1];
byte  deciding[REFUNDS+1];                         /* executions that decided on a call that has not left */
bool  restored;  byte running;

#define leaseIsMine (holder == me)
#define leaseIsFree (holder == NOBODY || passed)
#ifdef CLAIM_NO_CURRENT
#define current true
#else
#define current (n == refundAttempt)
#endif
#ifdef CALL_PAST_HORIZON
#define isPastHorizon false
#else
#define isPastHorizon (age[n] >= 1)
#endif
#ifdef EXPIRED_AT_ONCE
#define isForgotten (age[n] >= 1)
#else
#define isForgotten (age[n] == 2)
#endif
#ifdef NEW_KEY_PER_CALL
#define stored none
#else
#define stored memory[n]
#endif

inline safe() {
  assert(refunds <= 1);
  assert(!(status == paid && refunds > 0 && !restored));      /* never called off while carried out */
  assert(!(status == refunded && refunds != 1))
}
inline gives_back(n) { refunds++; memory[n] = gave_back; memoryAge[n] = 0; safe() }
inline refuses(n)    { memory[n] = refusal; memoryAge[n] = 0 }
inline over() { if :: holder == me -> holder = DEAD :: else fi; n = 0; running--; answer = none; st = IDLE }
#ifdef TIMEOUT_IS_REFUSAL
inline unanswered() { answer = refusal; st = COMMIT }
#else
inline unanswered() { st = RELEASE }
#endif

proctype Execution(byte me) {
  mtype st = IDLE, answer = none;  byte n;
end:
  do
  :: d_step { st == IDLE && copy[1] -> n = 1; running++; st = CLAIM }
  :: d_step { st == IDLE && copy[2] -> n = 2; running++; st = CLAIM }

  :: d_step { st == CLAIM && !completed[n] && current && leaseIsFree ->
       holder = me; passed = false;
#ifdef NO_ASK
       st = (status == refund_pending -> RUN : COMMIT) }
#else
       st = (status == refund_pending -> ASK : COMMIT) }      /* COMMIT without an answer: obsolete */
#endif
  :: d_step { st == CLAIM && !(!completed[n] && current && leaseIsFree) ->
       if
       :: completed[n] -> copy[n] = false                     /* duplicate */
       :: !completed[n] && !current -> copy[n] = false        /* superseded, or ahead: a letter */
       :: else                                                /* busy */
       fi;
       over() }

  /* ask: payments.find */
  :: d_step { st == ASK && refunds > 0 -> answer = gave_back; st = COMMIT }
  :: d_step { st == ASK && refunds == 0 ->
       if
       :: !isPastHorizon -> st = RUN
       :: isPastHorizon && isForgotten  -> answer = refusal; st = COMMIT         /* expired */
       :: isPastHorizon && !isForgotten -> st = RELEASE                          /* refund-about-to-expire */
       fi }
#ifdef UNAVAILABLE_IS_CAPTURED
  :: d_step { st == ASK && may -> pay; if :: !isPastHorizon -> st = RUN :: else -> answer = refusal; st = COMMIT fi }
#else
  :: d_step { st == ASK && may -> pay; st = RELEASE }         /* no usable answer */
#endif

  /* run: the horizon is judged just before the call */
  :: d_step { st == RUN -> if :: isPastHorizon -> st = ASK :: else -> deciding[n]++; st = CALL fi }

  /* refund(key): decided now, stored answer, answer lost, never arrived, arrives later */
  :: d_step { st == CALL && stored == none -> deciding[n]--; gives_back(n); answer = gave_back; st = COMMIT }
  :: d_step { st == CALL && stored == none -> deciding[n]--; refuses(n); answer = refusal; st = COMMIT }
  :: d_step { st == CALL && stored != none -> deciding[n]--; answer = memory[n]; st = COMMIT }
  :: d_step { st == CALL && stored == none && may -> pay; deciding[n]--; gives_back(n); unanswered() }
  :: d_step { st == CALL && stored == none && may -> pay; deciding[n]--; refuses(n); unanswered() }
  :: d_step { st == CALL && may -> pay; deciding[n]--; unanswered() }
  :: d_step { st == CALL && !late[n] && may -> pay; deciding[n]--; late[n] = true; unanswered() }

  :: d_step { st == COMMIT ->
       if
       :: leaseIsMine && (status == refund_pending || answer == none) ->
            holder = NOBODY; passed = false; completed[n] = true; copy[n] = false;
            status = (answer == none -> status : (answer == gave_back -> refunded : paid)); safe(); over()
       :: else -> over()                                      /* fenced */
       fi }
  :: d_step { st == RELEASE -> if :: leaseIsMine -> holder = NOBODY; passed = false :: else fi; over() }
  :: d_step { st != IDLE && st != CALL && may -> pay; over() }           /* a crash */
  :: d_step { st == CALL && may -> pay; deciding[n]--; over() }
  :: d_step { st == CALL && !late[n] && may -> pay; deciding[n]--; late[n] = true; over() }
  od
}

/* POST …/refunds: on a paid order that no job holds. */
proctype Customer() {
end:
  do
  :: d_step { status == paid && leaseIsFree && refundAttempt < REFUNDS ->
       refundAttempt++; status = refund_pending; holder = NOBODY; passed = false;
       completed[refundAttempt] = false; age[refundAttempt] = 0; copy[refundAttempt] = true }
  od
}
proctype Deadline() {
end:
  do
  :: d_step { holder == DEAD && !passed -> passed = true }
  :: d_step { holder != NOBODY && holder != DEAD && !passed && may -> pay; passed = true }
  od
}
proctype Network() {
end:
  do
  :: d_step { late[1] -> late[1] = false; if :: memory[1] == none -> gives_back(1) :: else fi }
  :: d_step { late[2] -> late[2] = false; if :: memory[2] == none -> gives_back(2) :: else fi }
  od
}
#ifdef NO_MARGIN
#define nobodyCalls(n) true
#else
#define nobodyCalls(n) (deciding[n] == 0 && !late[n])
#endif
/* The intent's age and the age of the key's first use run on together; a request that opens a number again makes the first one young. */
#define aging(n) \
  :: d_step { refundAttempt >= n && age[n] == 0 -> age[n] = 1; memoryAge[n] = (memoryAge[n] == 0 -> 1 : memoryAge[n]) } \
  :: d_step { refundAttempt >= n && age[n] == 1 && nobodyCalls(n) -> age[n] = 2; memoryAge[n] = 2 } \
  :: d_step { memory[n] != none && memoryAge[n] == 2 -> memory[n] = none; memoryAge[n] = 0 }
proctype Time() {
end:
  do
  aging(1)
  aging(2)
  od
}
#ifdef RESTORE
/* The table is put back to the time before any refund, with nothing running and no call on its way, a day or a month later. */
proctype Restore() {
end:
  do
  :: d_step { !restored && refundAttempt > 0 && running == 0 && !late[1] && !late[2] ->
       restored = true; refundAttempt = 0; status = paid; holder = NOBODY; passed = false;
       completed[1] = false; completed[2] = false;
#ifdef NEXT_DAY                                    /* longer ago than the provider remembers */
       memory[1] = none; memory[2] = none; memoryAge[1] = 0; memoryAge[2] = 0;
#endif
       age[1] = 0; age[2] = 0 }
  od
}
#endif
proctype Quiet() {
  timeout -> assert(!copy[1] && !copy[2]); assert(status != refund_pending); safe()
}
init {
  atomic {
    run Execution(1); run Execution(2); run Customer(); run Deadline(); run Network(); run Time();
#ifdef RESTORE
    run Restore();
#endif
    run Quiet()
  }
}
