/** Field names of a message that say nothing about anybody. */
const PLAIN = new Set(['kind', 'version', 'idempotencyKey', 'enqueuedAt', 'trace']);

/**
 * A body with the values of its payload covered: what it is, not what it says. One that is no JSON object is covered altogether.
 * Names of fields stay, unless they are no names.
 */
export function maskBody(body: string): unknown {
  const parsed = parse(body);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return MASK;
  return Object.fromEntries(
    Object.entries(parsed).map(([name, value]) => [nameOf(name), PLAIN.has(name) && isShort(value) ? value : cover(value)]),
  );
}

export const MASK = '•••';

const isShort = (value: unknown): boolean => typeof value !== 'object' && String(value).length <= 200;

function cover(value: unknown): unknown {
  if (Array.isArray(value)) return [MASK];
  if (typeof value !== 'object' || value === null) return MASK;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [nameOf(name), cover(member)]));
}

/** Anybody may send a field whose name is the secret. */
const nameOf = (name: string): string => (/^[A-Za-z][A-Za-z0-9_]{0,30}$/.test(name) ? name : MASK);

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
