/** `1 letter`, `1,200 letters`. */
export const letters = (count: number): string => `${count.toLocaleString('en-GB')} ${count === 1 ? 'letter' : 'letters'}`;
