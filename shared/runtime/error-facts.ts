import { StatedError } from '#shared/contract/stated-error.ts';

const NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/;
/** A place in code, as V8 writes it; a text may hold lines that only begin alike. */
const FRAME = /^ {4}at (?:(?:async |new )?[\w$.<>#[\] ]{1,120} \()?(?:file:|node:)?[\w$./@+-]{1,300}:\d+:\d+\)?$/;

/** The class of what was thrown, where that is a name. */
export function nameOfError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return NAME.test(error.name) ? error.name : 'Error';
}

/**
 * Name and place of an error, and its text where that is ours. Its members stay behind: an SDK's errors carry whole items.
 *
 * Does not protect against a field of a log line that somebody fills with an error's text.
 */
const errorFacts = (error: Error): Record<string, unknown> => ({
  name: nameOfError(error),
  ...(error instanceof StatedError ? { message: error.message } : {}),
  stack: framesOf(error).join('\n'),
  ...(error.cause instanceof Error ? { cause: errorFacts(error.cause) } : {}),
});

/** The fields of a log line, with facts in the place of errors. */
export const withErrorFacts = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, factsIn(value)]));

function factsIn(value: unknown): unknown {
  if (value instanceof Error) return errorFacts(value);
  if (Array.isArray(value)) return value.map(factsIn);
  return isPlain(value) ? withErrorFacts(value) : value;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

export const framesOf = ({ stack = '' }: Error): string[] => stack.split('\n').filter((line) => FRAME.test(line));
