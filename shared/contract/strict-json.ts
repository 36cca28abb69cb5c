import { MAX_JSON_DEPTH } from './limits.ts';

export type StrictJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: 'too-large' | 'not-json' | 'too-deep' | 'forbidden-name' };

/** Names that turn into prototype tricks when objects are merged later. */
const FORBIDDEN_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Parses text from outside, with caps checked before anything costly happens. Says what is wrong and never repeats the text.
 *
 * @param maxBytes longest text accepted, in bytes of UTF-8
 */
export function parseStrictJson(text: string, maxBytes: number): StrictJson {
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) return { ok: false, reason: 'too-large' };
  if (nestingExceeds(text, MAX_JSON_DEPTH)) return { ok: false, reason: 'too-deep' };
  let forbidden = false;
  try {
    const value: unknown = JSON.parse(text, (name, member) => {
      if (FORBIDDEN_NAMES.has(name)) forbidden = true;
      return member;
    });
    return forbidden ? { ok: false, reason: 'forbidden-name' } : { ok: true, value };
  } catch {
    return { ok: false, reason: 'not-json' };
  }
}

/** Counts brackets outside strings; a text that is no JSON may be judged either way, the parser has the last word. */
function nestingExceeds(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (inString) {
      if (character === '\\') i++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') {
      if (++depth > limit) return true;
    } else if (character === '}' || character === ']') depth--;
  }
  return false;
}
