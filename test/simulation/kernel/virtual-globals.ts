import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Makes time and chance of the whole process ours. Imported before anything else: the SDK and Powertools keep what they find
 * when they are loaded.
 *
 * Does not protect against code that reads process.hrtime or imports node:timers/promises; source code may not
 * (scripts/house-rules.ts), and the libraries in use do not.
 */
export interface Source {
  /** Epoch milliseconds on the clock of whoever is running. */
  nowMs(): number;
  /** At least 0, below 1. */
  fraction(): number;
  /** @returns a function that calls the timer off */
  after(delayMs: number, run: () => void): () => void;
}

/** What this process had before; the harness itself lives on these. */
export const real = {
  Date: globalThis.Date,
  setImmediate: globalThis.setImmediate,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  performanceNow: performance.now.bind(performance),
};

/** Time stands still while no world is running. */
export const START_MS = Date.parse('2026-11-30T10:00:00.000Z');
const nowhere: Source = { nowMs: () => START_MS, fraction: () => 0.5, after: (delayMs, run) => realTimer(delayMs, run) };
let source = nowhere;

/** @param next the world that runs from now on; undefined when none does */
export function useSource(next: Source | undefined): void {
  source = next ?? nowhere;
}

function realTimer(delayMs: number, run: () => void): () => void {
  const timer = real.setTimeout(run, delayMs);
  return () => real.clearTimeout(timer);
}

class VirtualDate extends real.Date {
  constructor(...given: []) {
    if (given.length === 0) super(source.nowMs());
    else super(...given);
  }
  static override now(): number {
    return source.nowMs();
  }
}

class Timer {
  readonly cancel: () => void;
  constructor(cancel: () => void) {
    this.cancel = cancel;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return false;
  }
  refresh(): this {
    return this;
  }
  [Symbol.toPrimitive](): number {
    return 0;
  }
}

const startTimer = (run: (...given: unknown[]) => void, delayMs = 0, ...given: unknown[]): Timer =>
  new Timer(source.after(Math.max(0, Number(delayMs) || 0), () => run(...given)));
const stopTimer = (timer: unknown): void => {
  if (timer instanceof Timer) timer.cancel();
};

const TWO_DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const eightDigits = (): string => {
  const drawn = Math.floor(source.fraction() * 0x1_0000_0000);
  return `${TWO_DIGITS[drawn >>> 24]}${TWO_DIGITS[(drawn >>> 16) & 255]}${TWO_DIGITS[(drawn >>> 8) & 255]}${TWO_DIGITS[drawn & 255]}`;
};
function virtualUuid() {
  const [first, second, third, fourth] = [eightDigits(), eightDigits(), eightDigits(), eightDigits()];
  return `${first}-${second.slice(0, 4)}-4${second.slice(5)}-a${third.slice(1, 4)}-${third.slice(4)}${fourth}` as const;
}
function fillRandomly<Bytes extends ArrayBufferView | null>(bytes: Bytes): Bytes {
  if (bytes === null) return bytes;
  const view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let index = 0; index < view.length; index++) view[index] = Math.floor(source.fraction() * 256);
  return bytes;
}

Object.assign(globalThis, {
  Date: VirtualDate,
  setTimeout: startTimer,
  clearTimeout: stopTimer,
  setInterval: () => {
    throw new Error('setInterval is not simulated; wait once and again instead');
  },
  setImmediate: (run: () => void, ...given: unknown[]) => startTimer(run, 0, ...given),
  clearImmediate: stopTimer,
});
performance.now = () => source.nowMs();
Math.random = () => source.fraction();
globalThis.crypto.randomUUID = virtualUuid;
globalThis.crypto.getRandomValues = fillRandomly as typeof globalThis.crypto.getRandomValues;
Object.assign(crypto, { randomUUID: virtualUuid });
syncBuiltinESMExports();

// The SDK asks for variables with each call, and each question goes to the operating system; it cuts each body from a pool that Node
// keeps so small that it is allocated anew every few calls.
process.env = { ...process.env };
Buffer.poolSize = 1024 * 1024;
