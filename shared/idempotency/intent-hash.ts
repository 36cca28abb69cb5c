import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * One hash for one meaning: RFC 8785 canonical JSON, so key order and white space do not matter and 4999.0 is 4999, while the
 * order of an array does. 22 characters (132 bits) keep the item small.
 *
 * @throws TypeError when the value is no JSON
 */
export function intentHash(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('only JSON values can be hashed');
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
