/**
 * Tells whether a call broke before its request can have left: while its name was looked up, its connection opened or its
 * handshake made. Judged by codes and system calls only.
 *
 * Does not protect against a middlebox that accepts the connection and then drops what it read: that looks like a reset and
 * counts as sent.
 */
export function isNeverSent(error: unknown, depth = 0): boolean {
  if (depth > MAX_DEPTH || !(error instanceof Error)) return false;
  // One connection attempt per address: all of them must have failed early.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every((each) => isNeverSent(each, depth + 1));
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (EARLY_SYSCALLS.has(String(syscall)) || isEarlyCode(String(code))) return true;
  return isNeverSent(error.cause, depth + 1);
}

const MAX_DEPTH = 5;
const EARLY_SYSCALLS = new Set(['connect', 'getaddrinfo']);
const EARLY_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
  // The certificate was looked at and refused.
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'HOSTNAME_MISMATCH',
  // No common protocol; other TLS errors can also end a connection that has carried a request.
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
  'ERR_SSL_NO_PROTOCOLS_AVAILABLE',
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
]);
const EARLY_PREFIXES = ['EAI_', 'CERT_', 'ERR_TLS_'];

const isEarlyCode = (code: string): boolean => EARLY_CODES.has(code) || EARLY_PREFIXES.some((prefix) => code.startsWith(prefix));

/** The first code along the chain of causes: all that is kept of a failure, since some carry what was read from the wire. */
export function failureCode(error: unknown, depth = 0): string {
  if (depth > MAX_DEPTH || !(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.cause === undefined ? error.name : failureCode(error.cause, depth + 1);
}
