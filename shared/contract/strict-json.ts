import { MAX_JSON_DEPTH } from './limits.ts';

export type StrictJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: 'too-large' | 'not-json' | 'too-deep' | 'forbidden-name' };

/** Names that turn into prototype tricks when objects are merged later. */
const FORBIDDEN_NAMES = new Set(['__proto__', 'constructor', 'prototype']);
/** A text without any of these cannot spell such a name: letters and underscores have no other escape. */
const MAY_BE_FORBIDDEN = /__proto__|constructor|prototype|\\u/;

/**
 * Parses text from outside, with caps checked before anything costly happens. Says what is wrong and never repeats the text.
 *
 * @param maxBytes longest text accepted, in bytes of UTF-8
 */
export function parseStrictJson(text: string, maxBytes: number): StrictJson {
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) return { ok: false, reason: 'too-large' };
  if (nestingExceeds(text, MAX_JSON_DEPTH)) return { ok: false, reason: 'too-deep' };
  try {
    if (!MAY_BE_FORBIDDEN.test(text)) return { ok: true, value: JSON.parse(text) };
    let forbidden = false;
    const value: unknown = JSON.parse(text, (name, member) => {
      if (FORBIDDEN_NAMES.has(name)) forbidden = true;
      return member;
    });
    return forbidden ? { ok: false, reason: 'forbidden-name' } : { ok: true, value };
  } catch {
    return { ok: false, reason: 'not-json' };
  }
}

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];

/** Counts brackets outside strings; a text that is no JSON may be judged either way, the parser has the last word. */
function nestingExceeds(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (inString) {
      if (character === BACKSLASH) i++;
      else if (character === QUOTE) inString = false;
    } else if (character === QUOTE) inString = true;
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      if (++depth > limit) return true;
    } else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) depth--;
  }
  return false;
}
