/** One exhaustive search: a model, its compile-time switches, and what spin has to say. */
export interface Configuration {
  readonly model: 'job' | 'unknown' | 'refund' | 'restore' | 'cache';
  readonly name: string;
  readonly switches: string;
  readonly expects: Expectation;
  /** `quick`: with `npm test`. `usual`: by default. `long`: with --all. */
  readonly set: 'quick' | 'usual' | 'long';
}

export type Expectation =
  | { readonly kind: 'holds' }
  /** A counterexample must exist, and the assertion it violates must contain this text. */
  | { readonly kind: 'found'; readonly assertion: string };

type Model = Configuration['model'];
type Set = Configuration['set'];

const holds = (model: Model, name: string, switches: string, set: Set = 'usual'): Configuration => ({
  model,
  name,
  switches,
  expects: { kind: 'holds' },
  set,
});

const found = (model: Model, name: string, assertion: string, switches: string, set: Set = 'quick'): Configuration => ({
  model,
  name,
  switches,
  expects: { kind: 'found', assertion },
  set,
});

/** The assertions as spin prints them, by the promise they stand for. */
const ENDLESS = 'acceptance cycle';
const RIGHTFUL_OWNER = 'lessee==';
const STATE_AND_RECORD = 'emitted[';
const NOWHERE = 'letters[m]>0';
const NO_LETTER = 'letters[0]>0';
const TWO_CHARGES = 'charges<=1';
const TWO_REFUNDS = 'refunds<=1';
const DECLINED_AND_CHARGED = '(charges>0)';
const CALLED_OFF_AND_REFUNDED = '(refunds>0)';
const OLDER_THAN_INVALIDATED = 'delivered[0]';

const capture = '-DONLY_CAPTURE=1';

const job: readonly Configuration[] = [
  holds('job', 'capture, two executions, a duplicate', `${capture} -DDUPLICATE`, 'quick'),
  holds('job', 'capture and refund, a duplicate', '-DDUPLICATE', 'quick'),
  holds('job', 'capture, three executions, a duplicate', `${capture} -DDUPLICATE -DWORKERS=3`),
  holds('job', 'capture, silent resends, a late copy of the claim', `${capture} -DDUPLICATE -DRESEND`),
  holds('job', 'capture, also a late commit; any 4 faults', `${capture} -DDUPLICATE -DRESEND -DLATE_COMMIT -DBUDGET=4`),
  holds('job', 'capture, replays without limit', `${capture} -DREPLAY`),
  holds('job', 'capture and refund, the rescue sends again', '-DRESCUE'),
  holds('job', 'dead letters moved back by a plain redrive; any 3 faults', '-DREDRIVE -DRESCUE -DBUDGET=3', 'quick'),
  holds('job', 'purged queues, the rescue alone; any 4 faults', '-DPURGE -DRESCUE -DBUDGET=4'),
  holds('job', 'purged queues, the sweep; any 3 faults', '-DPURGE -DSWEEP -DBUDGET=3'),
  holds('job', 'the stream loses records, the sweep', '-DOUTAGE -DSWEEP'),
  holds('job', 'a refund message that no request opened', '-DSTRAY -DDUPLICATE'),
  holds('job', 'resend, replay, rescue together; any 3 faults', '-DDUPLICATE -DREPLAY -DRESEND -DRESCUE -DBUDGET=3'),
  holds('job', 'what is replayed runs to an end; any 4 faults', `${capture} -DREPLAY -DTOOL_SURVIVES -DRESEND -DBUDGET=4`),
  holds('job', 'every message ends; any 2 faults', '-DDUPLICATE -DREPLAY -DRESEND -DRESCUE -DBUDGET=2 -DLIVE', 'long'),
  holds('job', 'every message ends; any fault', '-DDUPLICATE -DREPLAY -DRESEND -DRESCUE -DBUDGET=1 -DLIVE'),
  holds(
    'job',
    'paid when attempts outnumber faults and nothing is refused',
    `${capture} -DDUPLICATE -DRESEND -DBUDGET=2 -DMAX=5 -DLIVE -DPAID`,
    'quick',
  ),
  holds('job', 'capture, late commits without limit', `${capture} -DDUPLICATE -DRESEND -DLATE_COMMIT`, 'long'),
  holds('job', 'capture and refund, three executions', '-DWORKERS=3', 'long'),
  holds('job', 'REDUNDANT no lease: one charge and one commit still (F4)', '-DDUPLICATE -DNO_LEASE', 'quick'),
  holds('job', 'REDUNDANT commit without its guard', '-DDUPLICATE -DCOMMIT_NO_GUARD'),
  holds('job', 'REDUNDANT request without leaseIsFree', '-DDUPLICATE -DREQUEST_ON_HELD'),
  found('job', 'BROKEN commit without owner and fence', RIGHTFUL_OWNER, `${capture} -DCOMMIT_NO_FENCE`),
  found('job', 'BROKEN release without owner', RIGHTFUL_OWNER, `${capture} -DRELEASE_NO_OWNER`),
  found('job', 'BROKEN claim without leaseIsFree', '(lessee==0)||passed', `${capture} -DCLAIM_NO_LEASE`),
  found('job', 'BROKEN claim without operationIsOpen', STATE_AND_RECORD, `${capture} -DDUPLICATE -DCLAIM_NO_OPEN`),
  found('job', 'BROKEN claim without current', STATE_AND_RECORD, '-DSTRAY -DCLAIM_NO_CURRENT'),
  found('job', 'BROKEN lease without deadline', ENDLESS, `${capture} -DLEASE_NO_DEADLINE -DBUDGET=1 -DLIVE`),
  found('job', 'BROKEN claim without current, refund without its status', 'charges==1', '-DSTRAY -DCLAIM_NO_CURRENT -DREFUND_NO_STATUS'),
  found('job', 'BROKEN commit without the operation record', STATE_AND_RECORD, `${capture} -DCOMMIT_NO_RECORD`),
  found('job', 'BROKEN provider key per attempt', TWO_CHARGES, `${capture} -DKEY_PER_ATTEMPT`),
  found('job', 'BROKEN ack before commit', NOWHERE, `${capture} -DACK_BEFORE_COMMIT`),
  found('job', 'BROKEN ack before the dead letter is sent', NOWHERE, `${capture} -DACK_BEFORE_LETTER`),
  found('job', 'BROKEN owner token taken from the message', RIGHTFUL_OWNER, `${capture} -DOWNER_IS_MESSAGE`),
  found('job', 'BROKEN discard without an overdue mark', NO_LETTER, `${capture} -DPURGE -DRESCUE -DDISCARD_NO_MARK`),
  found('job', 'BROKEN buried before the letter is sent', NOWHERE, `${capture} -DBURIED_BEFORE_LETTER`),
  found('job', 'BROKEN buried without naming its discard', NOWHERE, `${capture} -DREPLAY -DBURIED_NAMES_NO_RECORD`),
  found('job', 'BROKEN a redriven letter taken for a duplicate', NOWHERE, `${capture} -DREDRIVE -DREDRIVE_SWALLOWED`),
  found('job', 'BROKEN re-arm of any operation', STATE_AND_RECORD, `${capture} -DREPLAY -DREARM_ANY`),
  found('job', 'BROKEN replay deletes before sending', NOWHERE, `${capture} -DREPLAY -DDELETE_BEFORE_SEND`),
  found(
    'job',
    'BROKEN replay re-arms after sending',
    NOWHERE,
    `${capture} -DREPLAY -DTOOL_SURVIVES -DREARM_AFTER_SEND -DBUDGET=4`,
    'usual',
  ),
  found('job', 'BROKEN sweep from the leftover outbox', 'receipt', '-DOUTAGE -DSWEEP -DSWEEP_FROM_OUTBOX', 'usual'),
  found('job', 'LIMIT S4 read literally: an ack needs a letter or an end', NOWHERE, `${capture} -DREPLAY -DCHECK_S4`),
  found('job', 'LIMIT S11 read literally: a late worker still calls', '(op[m]==', `${capture} -DCHECK_S11`),
];

const unknown: readonly Configuration[] = [
  holds('unknown', 'late worker, horizon, replays; any 3 faults', '-DBUDGET=3', 'quick'),
  holds('unknown', 'late worker, horizon, replays; any 4 faults', '-DBUDGET=4'),
  holds('unknown', 'late worker, horizon, replays; any 5 faults', '-DBUDGET=5', 'long'),
  holds('unknown', 'no more charging calls than attempts; any 5 faults', '-DCOUNT_CALLS -DMAX=3 -DBUDGET=5'),
  holds('unknown', 'unresolved only after asking; any 4 faults', '-DPATIENCE -DBUDGET=4'),
  holds('unknown', 'every message ends; any 2 faults', '-DLIVE -DBUDGET=2'),
  holds('unknown', 'what was charged becomes paid', '-DLIVE -DANSWERED -DBUDGET=2 -DMAX=4'),
  holds('unknown', 'REDUNDANT a lookup that lags: void decides', '-DBUDGET=3 -DLOOKUP_LAGS'),
  holds('unknown', 'REDUNDANT unavailable read as not captured: void decides', '-DBUDGET=3 -DUNAVAILABLE_IS_NOT_CAPTURED'),
  holds('unknown', 'REDUNDANT commit without lease: answers agree', '-DBUDGET=3 -DCOMMIT_NO_LEASE'),
  holds('unknown', 'REDUNDANT not asking: the key protects, then void', '-DBUDGET=3 -DNO_ASK'),
  found('unknown', 'BROKEN a call past the horizon', TWO_CHARGES, '-DBUDGET=4 -DCALL_PAST_HORIZON'),
  found('unknown', 'BROKEN void skipped past the horizon', DECLINED_AND_CHARGED, '-DBUDGET=4 -DVOID_SKIPPED'),
  found('unknown', 'BROKEN void without an answer read as closed', DECLINED_AND_CHARGED, '-DBUDGET=4 -DVOID_UNANSWERED_IS_DECLINED'),
  found('unknown', 'BROKEN not captured read as declined', DECLINED_AND_CHARGED, '-DBUDGET=4 -DNOT_CAPTURED_IS_DECLINED'),
  found('unknown', 'BROKEN re-arm starts the horizon anew', TWO_CHARGES, '-DBUDGET=4 -DREARM_RENEWS_INTENT', 'usual'),
  found('unknown', 'BROKEN a call past the schedule', 'calls<=', '-DBUDGET=4 -DCOUNT_CALLS -DCALL_PAST_SCHEDULE'),
  found('unknown', 'BROKEN unresolved judged before asking', 'asked', '-DBUDGET=4 -DPATIENCE -DUNRESOLVED_BEFORE_ASKING'),
  found('unknown', 'BROKEN unresolved read as declined', DECLINED_AND_CHARGED, '-DBUDGET=4 -DUNRESOLVED_IS_DECLINED'),
  found('unknown', 'BROKEN timeout read as declined', DECLINED_AND_CHARGED, '-DBUDGET=4 -DTIMEOUT_IS_DECLINE'),
  found('unknown', 'BROKEN provider key per attempt', TWO_CHARGES, '-DBUDGET=4 -DKEY_PER_ATTEMPT'),
  found('unknown', 'BROKEN not asking: a stored fault hides the charge', ENDLESS, '-DLIVE -DANSWERED -DBUDGET=2 -DMAX=4 -DNO_ASK'),
  found('unknown', 'ASSUMPTION the hour is longer than a pause', TWO_CHARGES, '-DBUDGET=4 -DNO_MARGIN'),
  found('unknown', 'ASSUMPTION a decline is stored under its key', DECLINED_AND_CHARGED, '-DBUDGET=4 -DDECLINE_NOT_STORED'),
  found('unknown', 'ASSUMPTION void and capture exclude each other', DECLINED_AND_CHARGED, '-DBUDGET=4 -DVOID_LAGS'),
  found('unknown', 'ASSUMPTION a void is final', DECLINED_AND_CHARGED, '-DBUDGET=4 -DVOID_NOT_FINAL'),
];

const refund: readonly Configuration[] = [
  holds('refund', 'two refunds, two executions, any faults', '', 'quick'),
  holds('refund', 'table put back, asked for again after the key is forgotten', '-DRESTORE -DNEXT_DAY', 'quick'),
  found('refund', 'LIMIT asked for again while the provider still knows the key', TWO_REFUNDS, '-DRESTORE -DBUDGET=2', 'usual'),
  found('refund', 'BROKEN refund without asking first', TWO_REFUNDS, '-DBUDGET=4 -DRESTORE -DNEXT_DAY -DNO_ASK'),
  found('refund', 'BROKEN claim without current', TWO_REFUNDS, '-DBUDGET=4 -DRESTORE -DNEXT_DAY -DCLAIM_NO_CURRENT', 'usual'),
  found('refund', 'BROKEN a call past the horizon', TWO_REFUNDS, '-DBUDGET=4 -DCALL_PAST_HORIZON'),
  found('refund', 'BROKEN expired in the hour of questions', CALLED_OFF_AND_REFUNDED, '-DBUDGET=4 -DEXPIRED_AT_ONCE'),
  found('refund', 'BROKEN provider key per call', TWO_REFUNDS, '-DBUDGET=4 -DNEW_KEY_PER_CALL'),
  found('refund', 'BROKEN timeout read as refused', CALLED_OFF_AND_REFUNDED, '-DBUDGET=4 -DTIMEOUT_IS_REFUSAL'),
  found('refund', 'BROKEN unavailable read as still captured', CALLED_OFF_AND_REFUNDED, '-DBUDGET=4 -DUNAVAILABLE_IS_CAPTURED'),
  found('refund', 'ASSUMPTION the hour is longer than a pause', CALLED_OFF_AND_REFUNDED, '-DBUDGET=4 -DNO_MARGIN'),
];

const restore: readonly Configuration[] = [
  holds('restore', 'put back a day later, paid again; any 3 faults', '-DNEXT_DAY -DBUDGET=3'),
  found('restore', 'LIMIT paid again while the provider still knows the key', 'captured[attempt]', '-DBUDGET=2', 'usual'),
  found('restore', 'BROKEN second attempt without asking first', TWO_CHARGES, '-DNEXT_DAY -DBUDGET=3 -DNO_ASK_AT_ONCE'),
  found('restore', 'BROKEN claim without current', TWO_CHARGES, '-DNEXT_DAY -DBUDGET=3 -DCLAIM_NO_CURRENT', 'usual'),
  found('restore', 'BROKEN void skipped past the horizon', 'captured[attempt]', '-DBUDGET=3 -DVOID_SKIPPED'),
];

const cache: readonly Configuration[] = [
  holds('cache', 'two items, one version each', '-DVERSIONS=1', 'quick'),
  holds('cache', 'two items, two versions each', '', 'long'),
  holds('cache', 'one item, fills sent twice', '-DONE_ITEM -DSENT_TWICE'),
  holds('cache', 'one item, fills sent twice, the verifier', '-DONE_ITEM -DSENT_TWICE -DVERIFY', 'long'),
  holds('cache', 'one item, the verifier', '-DONE_ITEM -DVERIFY'),
  holds('cache', 'one item, two versions of the code', '-DONE_ITEM -DTWO_FORMS -DSENT_TWICE'),
  holds('cache', 'two items, fills sent twice, the verifier', '-DVERSIONS=1 -DSENT_TWICE -DVERIFY', 'long'),
  holds('cache', 'a token write that arrives after its reader gave up', '-DVERSIONS=1 -DLATE_TOKEN'),
  holds('cache', 'invalidation in two steps: token, then value', '-DVERSIONS=1 -DTOKEN_THEN_VALUE'),
  holds('cache', 'in the end equal or empty', '-DONE_ITEM -DLIVE'),
  holds('cache', '… even if invalidations are lost: TTL', '-DONE_ITEM -DLIVE -DLOSE'),
  holds('cache', 'REDUNDANT an unreadable row replaced blindly', '-DVERSIONS=1 -DTWO_FORMS -DREPLACE_BLINDLY'),
  found('cache', 'BROKEN lost invalidations and no TTL', ENDLESS, '-DONE_ITEM -DLIVE -DLOSE -DNO_TTL', 'usual'),
  found('cache', 'BROKEN fill without token', OLDER_THAN_INVALIDATED, '-DFILL_WITHOUT_TOKEN'),
  found('cache', 'BROKEN fill straight over an unreadable row', OLDER_THAN_INVALIDATED, '-DTWO_FORMS -DFILL_OVER_UNREADABLE'),
  found('cache', 'BROKEN token write sent twice', OLDER_THAN_INVALIDATED, '-DTOKEN_SENT_TWICE'),
  found('cache', 'BROKEN invalidation keeps the token', OLDER_THAN_INVALIDATED, '-DTOKEN_KEPT'),
  found('cache', 'BROKEN invalidation sets instead of deletes', OLDER_THAN_INVALIDATED, '-DSET_INSTEAD'),
  found('cache', 'BROKEN invalidation in two steps: value, then token', OLDER_THAN_INVALIDATED, '-DVALUE_THEN_TOKEN'),
  found('cache', 'BROKEN invalidate before commit', OLDER_THAN_INVALIDATED, '-DINVALIDATE_FIRST'),
  found('cache', 'BROKEN fill in two steps: check, then set', OLDER_THAN_INVALIDATED, '-DFILL_IN_TWO_STEPS'),
  found('cache', 'BROKEN stale read', OLDER_THAN_INVALIDATED, '-DSTALE_READ'),
  found('cache', 'BROKEN read before the token', OLDER_THAN_INVALIDATED, '-DREAD_BEFORE_TOKEN'),
  found('cache', 'BROKEN token used again', OLDER_THAN_INVALIDATED, '-DTOKEN_REUSED'),
  found('cache', 'BROKEN verifier overwrites', OLDER_THAN_INVALIDATED, '-DVERIFY -DREPAIR_SETS'),
  found('cache', 'LIMIT what one client sees may fall by the lag', 'seen', '-DVERSIONS=1 -DCHECK_ANSWERS'),
];

export const configurations: readonly Configuration[] = [...job, ...unknown, ...refund, ...restore, ...cache];
