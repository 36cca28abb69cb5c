import type { ReportChart } from './part.ts';

const WIDTH = 760;
const LABEL_WIDTH = 300;
const VALUE_WIDTH = 90;
const ROW_HEIGHT = 24;
const TOP = 40;
/** Readable on a light page and on a dark one. */
const COLOURS = { ours: '#2f81f7', theirs: '#8b949e', text: '#768390' };

const inXml = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

export function barChart({ title, unit, bars }: ReportChart): string {
  const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const room = WIDTH - LABEL_WIDTH - VALUE_WIDTH;
  const rows = bars.flatMap(({ label, value, ours = false }, index) => {
    const y = TOP + index * ROW_HEIGHT;
    const width = Math.max(1, (value / most) * room);
    return [
      text(LABEL_WIDTH - 8, y + 15, label, 'end'),
      `<rect x="${LABEL_WIDTH}" y="${y + 3}" width="${width.toFixed(1)}" height="${ROW_HEIGHT - 8}" fill="${ours ? COLOURS.ours : COLOURS.theirs}"/>`,
      text(LABEL_WIDTH + width + 6, y + 15, value.toLocaleString('en-GB', { maximumFractionDigits: 2 }), 'start'),
    ];
  });
  const height = TOP + bars.length * ROW_HEIGHT + 8;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" font-family="sans-serif" font-size="13">`,
    `<title>${inXml(title)}</title>`,
    text(8, 22, `${title} (${unit})`, 'start'),
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

const text = (x: number, y: number, words: string, anchor: 'start' | 'end'): string =>
  `<text x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}" fill="${COLOURS.text}">${inXml(words)}</text>`;
