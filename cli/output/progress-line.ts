import { good, quiet } from './paint.ts';

const WIDTH = 30;

/** `━━━━━━──────  1,200 of 5,000, 310 a second`; without a total only the count. */
export function progressLine(done: number, total: number | undefined, elapsedMs: number): string {
  const rate = elapsedMs < 1_000 ? '' : `, ${Math.round((done * 1_000) / elapsedMs)} a second`;
  if (total === undefined || total <= 0) return `${number(done)}${rate}`;
  const filled = Math.min(WIDTH, Math.floor((done * WIDTH) / total));
  return `${good('━'.repeat(filled))}${quiet('─'.repeat(WIDTH - filled))}  ${number(done)} of ${number(total)}${rate}`;
}

const number = (value: number): string => value.toLocaleString('en-GB');
