/** Fields of a message that say nothing about anybody, as long as they look as they should: a body may be anybody's. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  kind: /^[a-z][a-z0-9-]{0,63}$/,
  version: /^\d{1,6}$/,
  idempotencyKey: /^[a-z-]{1,32}:[A-Za-z0-9_./-]{1,90}(?::\d{1,6})?$/,
  enqueuedAt: /^\d{4}-\d\d-\d\dT[\d:.]{8,15}Z$/,
  trace: /^[A-Za-z0-9=;:_-]{32,200}$/,
};

/**
 * A body with the values of its payload covered: what it is, not what it says. One that is no JSON object is covered altogether.
 * Names of fields stay, unless they are no names.
 */
export function maskBody(body: string): unknown {
  const parsed = parse(body);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return MASK;
  return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [nameOf(name), isPlain(name, value) ? value : cover(value)]));
}

export const MASK = '•••';

const isPlain = (name: string, value: unknown): boolean =>
  Object.hasOwn(PLAIN, name) && typeof value !== 'object' && PLAIN[name]?.test(String(value)) === true;

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
