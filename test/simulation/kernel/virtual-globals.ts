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

const eightDigits = (): string =>
  Math.floor(source.fraction() * 0x1_0000_0000)
    .toString(16)
    .padStart(8, '0');
function virtualUuid() {
  const digits = `${eightDigits()}${eightDigits()}${eightDigits()}${eightDigits()}`;
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}` as const;
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
