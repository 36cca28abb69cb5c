const seen = new WeakSet<object>();
/** Enough for V8 to keep account of what it meets here. */
const LOOKS = 50;

/**
 * V8 keeps an object that was put together piece by piece, with accessors, as a dictionary, and copies it seven times slower. One that
 * others inherit from it lays out anew when something is looked up through it.
 */
export function makeFast(object: object): void {
  if (seen.has(object)) return;
  seen.add(object);
  const heir = Object.create(object) as { readonly nothing?: unknown };
  for (let looks = 0; looks < LOOKS; looks++) lookUp(heir);
}

const lookUp = (heir: { readonly nothing?: unknown }): unknown => heir.nothing;
