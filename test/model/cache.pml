/* cache.pml: cache-aside with a guarded fill, against commits whose invalidations arrive late, twice and in any order.
 *
 * Promise: the past is never put back. Once the invalidation of version v was delivered, the cached value is v or later, or absent (this
 * needs no assumption about readers); no fill is older than anything ever cached under the key (S13); a cached version is a committed
 * one; in the end the cache equals the table or is empty (L3).
 *
 * One cache key, `order_summary:user:<u>`, whose value is read from TWO items one after the other (a Query is no snapshot): the key of a
 * single order is the special case in which the second item never changes. Keys share nothing, so one key is enough.
 *
 * Modelled, named as in the code
 *   shared/aws/dynamodb-cache.ts     a row holds a value or a token; readOrTakeToken: read, judge, then write conditionally;
 *                                    valueIsGone, nobodyIsLoading, tokenStands; a token past its deadline stands until it is replaced; the
 *                                    token write is sent once and may apply after its reader gave up; fills and deletes may arrive twice
 *   shared/aws/cache-row.ts          TWO_FORMS: a value one version of the code cannot read is replaced only while unchanged
 *   shared/cache/read-through.ts     token, strongly consistent load, fill; a load that failed gives its token up by invalidating
 *   functions/invalidate-cache       after the commit; per item in order, between items in any order; retry-invalidation: again at any time
 *   TTL, eviction, a reader's clock that is ahead: the value or the token counts as gone at any time
 *   VERIFY                           a verifier that repairs by invalidating (not built yet)
 * Not modelled
 *   waiting readers (they only look again) · what is served to a client: CHECK_ANSWERS shows that its answers may fall by the stream's lag
 *
 * Readers may stop anywhere for any time, or die.                                                                                     */
#ifndef VERSIONS
#define VERSIONS 2
#endif
#ifdef ONE_ITEM                                    /* the key of a single order */
#define versionsOf(i) (i == 0 -> VERSIONS : 0)
#else
#define versionsOf(i) VERSIONS
#endif
byte table[2];                                     /* the truth: versions of the two items */
byte delivered[2];                                 /* invalidations 1..delivered[i] have been delivered */
byte missing[2];                                   /* -DLOSE: how many invalidations will never come (retry queue purged) */

/* ---- the row ---- */
bool cached;  byte value[2];
byte token;  bool passed;                          /* fill token (0 none); its deadline has passed */
bit  form;                                         /* which version of the code wrote the value */

/* ---- readers' tokens (global only so that a fresh one can be found; a token is random and unique) ---- */
byte mine[3];
bool ghost;  byte ghostToken, ghostValue[2];  bit ghostForm;             /* a second copy of a fill, still in the network */
bool lateTake;  byte lateToken;                    /* a token write that got no answer, still in the network */
byte best[2];                                      /* history: newest version ever cached */

inline honest() {
  assert(!cached || (value[0] >= delivered[0] && value[1] >= delivered[1]));       /* nothing older than what was invalidated */
  assert(!cached || (value[0] <= table[0] && value[1] <= table[1]))                /* committed versions only */
}
inline put(x, y, how) {
  assert(x >= best[0] && y >= best[1]);            /* a fill never overwrites newer state */
  cached = true; value[0] = x; value[1] = y; form = how; best[0] = x; best[1] = y; honest()
}
inline no_value() { cached = false; value[0] = 0; value[1] = 0; form = 0 }
inline no_token() { token = 0; passed = false }
#ifdef TOKEN_REUSED
#define taken(t) (token == t)                      /* broken: a counter that starts again when it is evicted */
#else
#define taken(t) (token == t || mine[1] == t || mine[2] == t || (ghost && ghostToken == t) || (lateTake && lateToken == t))
#endif
#ifdef FILL_WITHOUT_TOKEN
#define tokenStands(t) true
#else
#define tokenStands(t) (token == t)
#endif
#define nothingCounts  (!cached && (token == 0 || passed))

proctype Writer(byte i) {                          /* commits; the stream record goes out with the commit */
  do
  :: table[i] < versionsOf(i) -> table[i]++
  :: table[i] == versionsOf(i) -> break
  od
}
/* Invalidation: value and token go together. */
proctype Invalidator(byte i) {
end:
  do
#ifdef INVALIDATE_FIRST
  :: d_step { delivered[i] < versionsOf(i) && delivered[i] <= table[i] -> delivered[i]++; no_value(); no_token() }   /* before the commit */
#elif defined(SET_INSTEAD)
  :: d_step { delivered[i] < table[i] -> delivered[i]++; no_token(); if :: cached -> value[i] = delivered[i] :: else fi; honest() }
  :: d_step { delivered[i] > 1 -> if :: cached -> value[i] = delivered[i] - 1 :: else fi; honest() }            /* an old one, again */
#elif defined(VALUE_THEN_TOKEN)
  :: d_step { delivered[i] < table[i] -> no_value() } d_step { no_token(); delivered[i]++; honest() }
#elif defined(TOKEN_THEN_VALUE)
  :: d_step { delivered[i] < table[i] -> no_token() } d_step { no_value(); delivered[i]++; honest() }
#else
  :: d_step { delivered[i] + missing[i] < table[i] -> delivered[i]++; no_value();
#ifndef TOKEN_KEPT
              no_token();
#endif
              honest() }
#ifdef LOSE
  :: d_step { delivered[i] + missing[i] < table[i] -> missing[i]++ }
#endif
#endif
  od
}
/* An old invalidation comes again (retry queue, stream replay), or a reader gives its token up. */
proctype Again() {
end:
  do
  :: d_step { (delivered[0] > 0 || delivered[1] > 0) && (cached || token != 0) -> no_value();
#ifndef TOKEN_KEPT
              no_token()
#endif
     }
  od
}
#ifndef NO_TTL
/* TTL, or eviction of the value: at any time, but some time. */
proctype Ttl() {
end:
  do
  :: d_step { cached -> no_value() }
  od
}
#endif
/* The token's deadline passes (another reader may replace it), or it is evicted. */
proctype Memory() {
end:
  do
  :: d_step { token != 0 -> no_token() }
  :: d_step { token != 0 && !passed -> passed = true }
  od
}

inline fresh_token() { t = 1; do :: taken(t) -> t++ :: else -> break od }
inline take_token() { fresh_token(); no_value(); token = t; passed = false; mine[me] = t; t = 0 }
inline give_up() { mine[me] = 0; x = 0; y = 0; seen[0] = 0; seen[1] = 0; st = 0 }

proctype Reader(byte me) {
  byte st, x, y, t, seen[2];
end:
  do
#ifdef READ_BEFORE_TOKEN
  :: d_step { st == 0 -> x = table[0]; y = table[1]; st = 9 }
  :: d_step { st == 9 && nothingCounts -> take_token(); st = 3 }
#else
  /* read: a miss; a row that cannot be read is remembered as it was */
  :: d_step { st == 0 && nothingCounts -> st = 1 }
#ifdef TWO_FORMS
  :: d_step { st == 0 && cached && form != me - 1 -> seen[0] = value[0]; seen[1] = value[1]; st = 2 }
#endif
  /* takeToken: nothing counts, or the row is exactly the one that was judged */
  :: d_step { st == 1 -> if :: nothingCounts -> take_token(); st = 3 :: else -> st = 0 fi }
#ifdef TWO_FORMS
#ifdef FILL_OVER_UNREADABLE
  :: d_step { st == 2 -> seen[0] = 0; seen[1] = 0; x = table[0]; y = table[1]; st = 8 }  /* broken: no token, straight over the row */
  :: d_step { st == 8 -> put(x, y, me - 1); give_up() }
#else
  :: d_step { st == 2 ->
       if
#ifdef REPLACE_BLINDLY
       :: true -> take_token(); st = 3
#else
       :: nothingCounts || (cached && form != me - 1 && value[0] == seen[0] && value[1] == seen[1]) -> take_token(); st = 3
#endif
       :: else -> st = 0
       fi; seen[0] = 0; seen[1] = 0 }
#endif
#endif
#ifdef LATE_TOKEN
  /* the token write gets no answer and arrives later; the reader goes on without a token (SENT_ONCE) */
  :: d_step { st == 1 && !lateTake -> fresh_token(); lateTake = true; lateToken = t; t = 0; st = 0 }
#endif
#ifdef TOKEN_SENT_TWICE
  /* broken: the SDK sends it again, and the first copy is still in the network */
  :: d_step { st == 1 && nothingCounts && !lateTake -> take_token(); lateTake = true; lateToken = mine[me]; st = 3 }
#endif
#endif
  /* strongly consistent load, item by item */
#ifdef STALE_READ
  :: d_step { st == 3 && table[0] > 0 -> x = table[0] - 1; st = 4 }
#endif
#ifdef READ_BEFORE_TOKEN
  :: d_step { st == 3 -> st = 5 }
#else
  :: d_step { st == 3 -> x = table[0]; st = 4 }
  :: d_step { st == 4 -> y = table[1]; st = 5 }
#endif
  /* fill: accepted only while the token stands */
#ifdef FILL_IN_TWO_STEPS
  :: d_step { st == 5 -> if :: tokenStands(mine[me]) -> st = 6 :: else -> give_up() fi }
  :: d_step { st == 6 -> no_token(); put(x, y, me - 1); give_up() }
#else
  :: d_step { st == 5 -> if :: tokenStands(mine[me]) -> no_token(); put(x, y, me - 1) :: else fi; give_up() }
#ifdef SENT_TWICE
  :: d_step { st == 5 && !ghost -> ghost = true; ghostToken = mine[me]; ghostValue[0] = x; ghostValue[1] = y; ghostForm = me - 1;
              if :: tokenStands(mine[me]) -> no_token(); put(x, y, me - 1) :: else fi; give_up() }
#endif
#endif
  /* the reader dies, or gives up */
  :: d_step { st != 0 -> give_up() }
  od
}
/* What was sent and not answered arrives, late. */
proctype Network() {
end:
  do
  :: d_step { ghost -> if :: tokenStands(ghostToken) -> no_token(); put(ghostValue[0], ghostValue[1], ghostForm) :: else fi;
              ghost = false; ghostToken = 0; ghostValue[0] = 0; ghostValue[1] = 0; ghostForm = 0 }
  :: d_step { lateTake -> if :: nothingCounts -> token = lateToken; passed = false :: else fi; lateTake = false; lateToken = 0 }
  od
}
#ifdef VERIFY
/* verify-cache: compare a sample with a strong read; a mismatch is invalidated (broken: overwritten). */
proctype Verifier() {
  byte x, y; bool bad;
end:
  do
  :: d_step { !bad && cached && (value[0] != table[0] || value[1] != table[1]) -> x = table[0]; y = table[1]; bad = true }
#ifdef REPAIR_SETS
  :: d_step { bad -> no_token(); put(x, y, 0); x = 0; y = 0; bad = false }
#else
  :: d_step { bad -> no_value(); no_token(); x = 0; y = 0; bad = false }
#endif
  od
}
#endif
#ifdef CHECK_ANSWERS
/* One client that asks again and again: hit, or (miss without a token) straight from the table. Do its answers never fall? */
proctype Client() {
  byte seen;
  do
  :: d_step { cached -> assert(value[0] >= seen); seen = value[0] }
  :: d_step { !cached -> assert(table[0] >= seen); seen = table[0] }
  od
}
#endif
#ifdef LIVE
/* The world goes on even when nothing is left to do. (Under weak fairness, spin -f, a run that stops is not seen as an endless one.) */
bool turning = true;
proctype World() { do :: turning od }
#endif
init {
  atomic {
#ifdef LIVE
    run World();
#endif
    run Writer(0); run Writer(1); run Invalidator(0); run Invalidator(1); run Again(); run Memory();
    run Reader(1); run Reader(2);
#ifndef NO_TTL
    run Ttl();
#endif
#if defined(SENT_TWICE) || defined(LATE_TOKEN) || defined(TOKEN_SENT_TWICE)
    run Network();
#endif
#ifdef VERIFY
    run Verifier();
#endif
#ifdef CHECK_ANSWERS
    run Client()
#endif
  }
}
#ifdef LIVE
/* L3: in the end the cache equals the table or is empty. */
ltl settles { <>[] (!cached || (value[0] == table[0] && value[1] == table[1])) }
#endif
