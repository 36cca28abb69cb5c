import Table from 'cli-table3';
import { strong } from './paint.ts';

/** Lines only below the head: easy to read, easy to copy. */
const CHARS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

export function formatTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const table = new Table({ head: head.map(strong), chars: CHARS, style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 } });
  table.push(...rows.map((row) => row.map(String)));
  return table.toString().replace(/ +$/gm, '');
}
