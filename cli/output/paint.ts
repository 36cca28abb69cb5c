import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Colours only where they are wanted: `styleText` leaves text plain for NO_COLOR and when stdout is no terminal. */
const paint = (style: Style) => (text: string | number) => styleText(style, String(text), { stream: process.stdout });

export const good = paint('green');
export const bad = paint('red');
export const doubtful = paint('yellow');
export const quiet = paint('dim');
export const strong = paint('bold');
