/* unknown.pml: one payment intent whose outcome may be unknown, and the day on which the provider forgets its key.
 *
 * Promise: the intent is charged at most once; the order is never declined while it is charged, nor charged after it was declined;
 * no charging call is made from an hour before the key horizon on, nor more than six for one arming; an outcome that nobody can tell
 * becomes a dead letter, and only after the provider was asked.
 *
 * Modelled, named as in the code
 *   shared/worker/run-job.ts         `sent` > 1: ask first; attempts past the schedule only ask; past twice the schedule not even that
 *   shared/worker/settlement.ts      retry, unknown, deferred (attempt and `sent` given back), past the schedule unspent, attempts-spent
 *                                    with nothing out, unresolved after 48 h and judged after asking, `sent` kept by a discard
 *   shared/jobs/capture-payment.ts   ask = find, past the last call void; run = past the last call void, else capture with the same key
 *   shared/domain/key-horizon.ts     counted from the intent's time on the order: an hour of questions only, then forgetting
 *   shared/item/rearm.ts             `try:` goes, `sent:` and the intent's time stay
 *   provider                         one memory per key (charge, decline, a stored fault); find and void strongly consistent, void final
 * Two executions of the job run side by side: call one the late worker, the other the rescue's; the protocol makes no difference.
 * Not modelled
 *   lease, owner and fence in full (job.pml; here "mine" is one value, `holder`) · refunds (refund.pml) · second attempts and a table
 *   put back (restore.pml) · another amount charged, refunds made by hand · `due:`, breaker and rate limit
 *
 * Faults are unlimited: any crash, any deadline, any timeout. Time is `age` of the intent, one step at a time and at any moment:
 * 0 calls are made, 1 from the last call on (an hour before the horizon), 2 past the horizon: the provider may forget, 3 past 48 h.
 * From 1 to 2 it steps only when no call decided on at age 0 is still on its way: that is the assumption behind the hour (function
 * timeout + clock error + lag). -DNO_MARGIN takes it away.                                                                            */
#ifndef MAX
#define MAX 2                  /* MAX_ATTEMPTS; 6 in the product */
#endif
#define DEADLY (MAX + 1)       /* DEADLY_ATTEMPTS; 2 * MAX_ATTEMPTS in the product, here as small as makes a difference */
mtype = { pending_payment, paid, payment_declined };
mtype = { open, completed, discarded };
mtype = { none, charge, decline, fault };          /* what the provider stored under the key: also a 500 that it will repeat */
mtype = { IDLE, CLAIM, ASK, RUN, CALL, VOID, COMMIT, RELEASE, DEFER, DISCARD, LETTER, ACK };
#define NOBODY 0
#define DEAD   9

/* ---- the item ---- */
mtype status = pending_payment, op = open;
byte  age;                                         /* of the intent */
byte  tries;  bool sent;                           /* try:, and whether sent: is above 0 */
byte  holder = NOBODY;  bool passed;
/* ---- the provider ---- */
byte  charges;  bool voided;  mtype memory = none;
bool  late;                                        /* a charging call that was given up here and will still arrive there */
/* ---- queue ---- */
bool  copy[2], letter;                             /* the message and its replay (a slot is used again once nobody holds the old one) */
byte  inHand[2];
/* ---- history, for checking only ---- */
byte  deciding;                                    /* executions that decided to charge and whose call has not left */
#ifdef COUNT_CALLS
byte  calls;                                       /* charging calls; nobody replays where they are counted */
#define called       calls++; assert(calls <= MAX) /* S17 */
#else
#define called       skip
#endif
#ifdef PATIENCE
bool  asked;                                       /* the provider was asked since the last re-arm */
#define isAsked      asked = true
#define wasAsked     asked
#else
#define isAsked      skip
#define wasAsked     true
#endif
bool  replaying, renewed;
bool  today;                                       /* flips for ever: liveness is claimed for a clock that goes on */
#ifdef BUDGET
byte  troubles;
#define may  (troubles < BUDGET)
#define pay  troubles++
#else
#define may  true
#define pay  skip
#endif

#define leaseIsMine  (holder == me)
#define leaseIsFree  (holder == NOBODY || passed)
#ifdef COMMIT_NO_LEASE
#define commitLease  true
#else
#define commitLease  leaseIsMine
#endif
#if defined(CALL_PAST_HORIZON)
#define isPastHorizon false
#elif defined(REARM_RENEWS_INTENT)
#define isPastHorizon (age >= 1 && !renewed)
#else
#define isPastHorizon (age >= 1)
#endif
#ifdef NO_ASK
#define asks false
#else
#define asks earlier
#endif

inline safe() {
  assert(charges <= 1);                                       /* S1 never two charges */
  assert(!(status == payment_declined && charges > 0));       /* S12 never declined while charged */
  assert(!(status == paid && charges != 1))                   /* S3 */
}
/* A charging call arrives. The first use of the key is decided and stored; later uses get the stored answer. */
inline charges_now() {
  memory = charge; charges++; safe()
}
#ifdef VOID_NOT_FINAL                              /* assumption taken away: a voided intent may still be captured */
#define closed false
#else
#define closed voided
#endif
#ifdef DECLINE_NOT_STORED                          /* assumption taken away: a declined call is not remembered under its key */
inline declines_now() { skip }
#else
inline declines_now() { memory = decline }
#endif

inline over() {
  if :: holder == me -> holder = DEAD :: else fi;
  inHand[c]--; c = 0; earlier = false; overSchedule = false; answer = none; st = IDLE
}
inline drop_lease() { holder = NOBODY; passed = false }
/* settle: notSent gives the claim's mark back, unspent its attempt too */
inline settled(notSent, unspent) {
  drop_lease();
  sent = (notSent -> earlier : sent);
  if :: unspent && tries > 0 -> tries-- :: else fi
}
#ifdef TIMEOUT_IS_DECLINE
inline unanswered() { answer = decline; st = COMMIT }
#else
inline unanswered() { st = RELEASE }
#endif
inline go_call() { deciding++; st = CALL }

proctype Execution(byte me) {
  mtype st = IDLE, answer = none;  byte c;
  bool overSchedule;                               /* attempt > MAX_ATTEMPTS */
  bool earlier;                                    /* an earlier attempt may have gone out: sent > 1 in the claim's image */
end:
  do
  :: d_step { st == IDLE && copy[0] -> c = 0; inHand[0]++; st = CLAIM }
  :: d_step { st == IDLE && copy[1] -> c = 1; inHand[1]++; st = CLAIM }

  :: d_step { st == CLAIM && op == open && leaseIsFree ->
       holder = me; passed = false; earlier = sent; sent = true;
       tries = (tries > DEADLY -> tries : tries + 1); overSchedule = (tries > MAX);
#ifdef SENT_FORGOTTEN
       sent = false;
#endif
       if
#ifdef UNRESOLVED_BEFORE_ASKING
       :: age == 3 && earlier -> assert(wasAsked); st = DISCARD
       :: !(age == 3 && earlier) ->
#else
       ::
#endif
            if
            :: tries > DEADLY          -> st = DISCARD        /* asking is what it dies of */
            :: tries <= DEADLY && asks -> st = ASK
            :: tries <= DEADLY && !asks && !overSchedule -> st = RUN
            :: tries <= DEADLY && !asks && overSchedule  ->
#ifdef CALL_PAST_SCHEDULE
                 st = RUN
#else
                 st = DISCARD                                 /* attempts-spent */
#endif
            fi
       fi }
  :: d_step { st == CLAIM && op == completed -> st = ACK }
  :: d_step { st == CLAIM && op == discarded -> st = LETTER }
  :: d_step { st == CLAIM && op == open && !leaseIsFree -> over() }      /* busy */

  /* ask: payments.find */
  :: d_step { st == ASK -> isAsked;
       if
       :: charges > 0            -> answer = charge; st = COMMIT
       :: charges == 0 && voided -> answer = decline; st = COMMIT
       :: charges == 0 && !voided ->
#ifdef NOT_CAPTURED_IS_DECLINED
            answer = decline; st = COMMIT
#else
            if
            :: isPastHorizon -> st = VOID
            :: !isPastHorizon && overSchedule ->
#ifdef CALL_PAST_SCHEDULE
                 st = RUN
#else
                 st = DISCARD                   /* attempts-spent: nothing happened, and nothing more is tried */
#endif
            :: !isPastHorizon && !overSchedule -> st = RUN
            fi
#endif
       fi }
#ifdef LOOKUP_LAGS                                 /* assumption taken away: find is strongly consistent */
  :: d_step { st == ASK && charges > 0 -> isAsked;
       st = (isPastHorizon -> VOID : (overSchedule -> DISCARD : RUN)) }
#endif
#ifdef UNAVAILABLE_IS_NOT_CAPTURED
  :: d_step { st == ASK && may -> pay; isAsked; st = (isPastHorizon -> VOID : (overSchedule -> DISCARD : RUN)) }
#else
  :: d_step { st == ASK && may -> pay; isAsked; st = RELEASE }      /* no usable answer */
#endif
  :: d_step { st == ASK && may -> pay; isAsked; st = DEFER }        /* known not to have been sent; or no time left to ask */

  /* run: the horizon is judged just before the call */
  :: d_step { st == RUN ->
#ifdef VOID_SKIPPED
       if :: isPastHorizon -> answer = decline; st = COMMIT :: else -> go_call() fi
#else
       if :: isPastHorizon -> st = VOID :: else -> go_call() fi
#endif
     }
  :: d_step { st == RUN && may -> pay; st = DEFER }                      /* circuit, rate limit, too little time */

  /* capture(key). Exactly one of: decided now, stored answer, answer lost, never arrived, arrives later. */
#ifdef KEY_PER_ATTEMPT
  :: d_step { st == CALL && !closed -> deciding--; called; charges_now(); answer = charge; st = COMMIT }
  :: d_step { st == CALL && may -> pay; deciding--; called; charges_now(); unanswered() }
#endif
  :: d_step { st == CALL ->                                              /* answered */
       deciding--; called;
       if
       :: memory != none          -> answer = memory
       :: memory == none && closed  -> answer = decline
       :: memory == none && !closed -> charges_now(); answer = charge
       fi;
       st = (answer == fault -> RELEASE : COMMIT) }
  :: d_step { st == CALL && memory == none -> deciding--; called; declines_now(); answer = decline; st = COMMIT }
  :: d_step { st == CALL && memory == none && may -> pay; deciding--; called; memory = fault; st = RELEASE }
  :: d_step { st == CALL && memory == none && !closed && may -> pay;     /* charged, and what is stored is a fault */
              deciding--; called; charges_now(); memory = fault; st = RELEASE }
  :: d_step { st == CALL && memory == none && !closed && may -> pay; deciding--; called; charges_now(); unanswered() }
  :: d_step { st == CALL && memory == none && may -> pay; deciding--; called; declines_now(); unanswered() }
  :: d_step { st == CALL && may -> pay; deciding--; called; unanswered() }           /* never arrived, or a stored answer lost */
  :: d_step { st == CALL && !late && may -> pay; deciding--; called; late = true; unanswered() }    /* arrives later */
  :: d_step { st == CALL && may -> pay; deciding--; st = DEFER }         /* refused connection, 429: known not to have been sent */

  /* void: closes the intent, or says that it was captured */
  :: d_step { st == VOID ->
#ifdef VOID_LAGS                                   /* assumption taken away: void and capture exclude each other */
       voided = true; answer = decline;
#else
       if :: charges > 0 -> answer = charge :: else -> voided = true; answer = decline fi;
#endif
       safe(); st = COMMIT }
#ifdef VOID_UNANSWERED_IS_DECLINED
  :: d_step { st == VOID && may -> pay; answer = decline; st = COMMIT }
#else
  :: d_step { st == VOID && may -> pay; st = RELEASE }                   /* never arrived */
#endif
  :: d_step { st == VOID && may -> pay; if :: charges == 0 -> voided = true :: else fi; st = RELEASE }       /* done, answer lost */
  :: d_step { st == VOID && may -> pay; st = DEFER }

  :: d_step { st == COMMIT ->
       if
       :: commitLease && status == pending_payment ->
            drop_lease(); op = completed; tries = 0; sent = false;
            status = (answer == charge -> paid : payment_declined); answer = none; safe(); st = ACK
       :: else -> over()                                                 /* fenced */
       fi }
  /* the outcome is unknown */
  :: d_step { st == RELEASE ->
       if
       :: !leaseIsMine -> over()
       :: leaseIsMine && overSchedule && age == 3 ->                     /* judged only now, after asking */
            assert(wasAsked);
#ifdef UNRESOLVED_IS_DECLINED
            answer = decline; st = COMMIT
#else
            st = DISCARD
#endif
       :: leaseIsMine && !(overSchedule && age == 3) -> settled(overSchedule, overSchedule); over()
       fi }
  :: d_step { st == DEFER -> if :: leaseIsMine -> settled(true, true) :: else fi; over() }
  :: d_step { st == DISCARD ->
       if :: leaseIsMine -> settled(overSchedule, false); op = discarded; st = LETTER :: else -> over() fi }
  :: d_step { st == LETTER -> letter = true; st = ACK }
  :: d_step { st == ACK -> copy[c] = false; assert(op == completed || letter || copy[0] || copy[1] || replaying); over() }

  /* a crash, anywhere; a call that has already left still arrives (late), or not */
  :: d_step { st != IDLE && st != CALL && may -> pay; over() }
  :: d_step { st == CALL && may -> pay; deciding--; over() }
  :: d_step { st == CALL && !late && may -> pay; deciding--; called; late = true; over() }
  od
}

proctype Time() {
end:
  do
#ifdef NO_MARGIN
#define nobodyCalls true
#else
#define nobodyCalls (deciding == 0 && !late)
#endif
  :: d_step { age == 0 -> age = 1 }
  :: d_step { age == 1 && nobodyCalls -> age = 2 }
  :: d_step { age == 2 -> age = 3 }
  :: d_step { age >= 2 && memory != none -> memory = none }              /* the provider forgets */
#ifdef LIVE
  :: d_step { today = !today; if :: age == 1 && !nobodyCalls -> skip :: age < 3 && !(age == 1 && !nobodyCalls) -> age++ :: else fi }
#endif
  od
}
proctype Deadline() {
end:
  do
  :: d_step { holder == DEAD && !passed -> passed = true }
  :: d_step { holder != NOBODY && holder != DEAD && !passed && may -> pay; passed = true }
  od
}
/* The late call arrives at last. */
proctype Network() {
end:
  do
  :: d_step { late && memory == none && !closed -> late = false; charges_now() }
  :: d_step { late && memory == none -> late = false; declines_now() }
  :: d_step { late && memory != none -> late = false }
  od
}
/* Replay: re-arm, send, delete the letter. */
proctype Operator() {
  byte st;
end:
  do
  :: d_step { st == 0 && letter && may -> pay; replaying = true; st = 1 }
  :: d_step { st == 1 ->
       if
       :: op == discarded -> op = open; tries = 0;
#ifdef PATIENCE
            asked = false;
#endif
#ifdef REARM_RENEWS_INTENT
            renewed = true;
#endif
#ifdef REARM_FORGETS_SENT
            sent = false;
#endif
            st = 2
       :: op == open -> st = 2
       :: op == completed -> letter = false; replaying = false; st = 0   /* finished: refused */
       fi }
  :: d_step { st == 2 && !copy[0] && inHand[0] == 0 -> copy[0] = true; letter = false; replaying = false; st = 0 }
  :: d_step { st == 2 && !copy[1] && inHand[1] == 0 -> copy[1] = true; letter = false; replaying = false; st = 0 }
  od
}
#ifndef LIVE
proctype Quiet() {
  timeout ->
  assert(!copy[0] && !copy[1]);
  assert(op == completed || letter || replaying);             /* L4: resolved or dead-lettered */
  assert(charges == 0 || status == paid || letter || replaying);         /* Q3 */
  safe()
}
#endif
#ifdef LIVE
/* The world goes on even when nothing is left to do. (Under weak fairness, spin -f, a run that stops is not seen as an endless one.) */
bool turning = true;
proctype World() { do :: turning od }
#endif
init {
  copy[0] = true;
  atomic {
#ifdef LIVE
    run World();
#endif
    run Execution(1); run Execution(2); run Time(); run Deadline(); run Network();
#ifndef COUNT_CALLS
    run Operator();
#endif
#ifndef LIVE
    run Quiet()
#endif
  }
}
#ifdef LIVE
#define gone (!copy[0] && !copy[1])
#ifdef ANSWERED
/* with fewer faults than attempts, what was charged becomes paid, also behind a stored fault */
ltl answered { (([]<> today) && ([]<> !today)) -> [] ((charges > 0) -> <> (status == paid)) }
#else
ltl ends { (([]<> today) && ([]<> !today)) -> <>[] gone }                            /* L1, L4 */
#endif
#endif
