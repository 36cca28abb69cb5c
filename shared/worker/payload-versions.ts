import type * as z from 'zod';

/** How messages of an earlier version are read; the type of their payload ends here. */
export interface OlderVersion<Payload> {
  readonly payload: z.ZodType;
  readonly upgrade: (payload: unknown) => Payload;
}

/**
 * @param payload what messages of that version carry, as it was when they were written
 * @param upgrade the same job as a payload of today's version; key and intent come out the same, or the message is refused
 */
export const olderVersion = <Old, Payload>(payload: z.ZodType<Old>, upgrade: (old: Old) => Payload): OlderVersion<Payload> => ({
  payload,
  // Called with what the schema above let through, and with nothing else.
  upgrade: upgrade as (payload: unknown) => Payload,
});

interface Versioned {
  readonly kind: string;
  readonly version: number;
  readonly oldestVersion?: number;
  readonly payload: z.ZodType;
  readonly versions?: Readonly<Record<number, OlderVersion<unknown>>>;
}

/** @throws RangeError when a version that messages may still have cannot be read */
export function assertVersions({ kind, version, oldestVersion = 1, versions = {} }: Versioned): void {
  const wholeFrom = (least: number, value: number): boolean => Number.isSafeInteger(value) && value >= least;
  if (!wholeFrom(1, oldestVersion) || !wholeFrom(oldestVersion, version))
    throw new RangeError(`${kind}: version and oldestVersion are whole numbers from 1 on, and version is not below oldestVersion`);
  const expected = Array.from({ length: version - oldestVersion }, (_, index) => String(oldestVersion + index));
  const missing = expected.find((number) => !Object.hasOwn(versions, number));
  if (missing !== undefined)
    throw new RangeError(
      `${kind} writes version ${version} and cannot read version ${missing}: add \`versions: { ${missing}: olderVersion(…, …) }\`, ` +
        'or set `oldestVersion` once `andal drain-report` finds no message that old',
    );
  const surplus = Object.keys(versions).find((number) => !expected.includes(number));
  if (surplus !== undefined)
    throw new RangeError(`${kind}: version ${surplus} is none of the earlier versions ${expected.join(', ') || '(none)'}`);
}

export type PayloadReading =
  | { readonly kind: 'read'; readonly payload: unknown }
  /** Of newer code, or of a version whose reader was removed. */
  | { readonly kind: 'unsupported'; readonly detail: string }
  | { readonly kind: 'invalid'; readonly error: z.ZodError }
  /** A fault of this code: the payload is one of its version. */
  | { readonly kind: 'not-upgraded'; readonly detail: string };

/** A message's payload as one of today's version, whichever version the message has. */
export function readPayload(message: { readonly version: number; readonly payload: unknown }, definition: Versioned): PayloadReading {
  const { version, versions, payload: schema } = definition;
  const older = Object.hasOwn(versions ?? {}, message.version) ? versions?.[message.version] : undefined;
  if (message.version !== version && older === undefined)
    return { kind: 'unsupported', detail: `version ${message.version}, this code reads ${readable(definition)}` };
  const asWritten = (older?.payload ?? schema).safeParse(message.payload);
  if (!asWritten.success) return { kind: 'invalid', error: asWritten.error };
  return older === undefined ? { kind: 'read', payload: asWritten.data } : upgraded(asWritten.data, older, message.version, definition);
}

function upgraded(payload: unknown, older: OlderVersion<unknown>, from: number, { version, payload: schema }: Versioned): PayloadReading {
  const fault = { kind: 'not-upgraded', detail: `version ${from} could not be upgraded to ${version}` } as const;
  try {
    const result = schema.safeParse(older.upgrade(payload));
    return result.success ? { kind: 'read', payload: result.data } : fault;
  } catch {
    return fault;
  }
}

const readable = ({ version, versions = {} }: Versioned): string => [...Object.keys(versions), version].join(', ');
