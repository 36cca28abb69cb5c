/** As many as an operator acts upon differently; each is one more metric per kind, so codes are folded and never passed on. */
export type ErrorClass =
  | 'timeout'
  | 'connection'
  | 'throttled'
  | 'dependency'
  | 'database'
  | 'bug'
  | 'reconciliation'
  | 'malformed'
  | 'version'
  | 'conflict'
  | 'missing'
  | 'rejected'
  | 'spent'
  | 'unresolved'
  | 'other';

const CLASSES: Readonly<Record<string, ErrorClass>> = {
  'provider-timeout': 'timeout',
  'provider-unreachable': 'connection',
  'provider-connection-lost': 'connection',
  'call-abandoned': 'connection',
  'provider-rate-limited': 'throttled',
  'provider-authentication': 'dependency',
  'provider-endpoint-unknown': 'dependency',
  'provider-answer-unreadable': 'dependency',
  'idempotency-key-in-use': 'dependency',
  'claim-unanswered': 'database',
  'settle-unanswered': 'database',
  'gate-unanswered': 'database',
  claimed: 'bug',
  'result-invalid': 'bug',
  'change-touches-protocol': 'bug',
  'order-unreadable': 'bug',
  'captured-amount-differs': 'reconciliation',
  'refunded-at-provider': 'reconciliation',
  'nothing-captured-at-provider': 'reconciliation',
  malformed: 'malformed',
  'unsupported-version': 'version',
  'payload-mismatch': 'conflict',
  'idempotency-key-reused': 'conflict',
  'order-not-found': 'missing',
  'attempt-not-opened': 'missing',
  'export-part-missing': 'missing',
  'provider-rejected-request': 'rejected',
  'request-malformed': 'rejected',
  'stock-insufficient': 'rejected',
  'attempts-spent': 'spent',
  unresolved: 'unresolved',
};

const PREFIXES: readonly (readonly [string, ErrorClass])[] = [
  ['provider-answered-', 'dependency'],
  ['unexpected-', 'bug'],
];

/** @param code of a failure or of a letter's reason; one that nobody listed is `other` */
export const errorClassOf = (code: string): ErrorClass =>
  (Object.hasOwn(CLASSES, code) ? CLASSES[code] : PREFIXES.find(([prefix]) => code.startsWith(prefix))?.[1]) ?? 'other';
