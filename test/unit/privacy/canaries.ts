/** What people put where it does not belong: test cards of several networks in several spellings, a name, e-mail addresses, a street. */
export const CANARIES = [
  '4000000000000002',
  '4000 0012 3456 7899',
  '5555-5555-5555-4444',
  '3782 822463 10005',
  '６０１１１１１１１１１１１１１７',
  'Kanari Vogelsang',
  'kanari.vogelsang@example.test',
  'KANARI+order@Example.TEST',
  'Hinterhof 7, Klingel Mustermann',
] as const;

/** One text with everything in it. */
export const ALL_CANARIES = CANARIES.join(' / ');

/** Spelled together, in small letters, with plain digits: a card told without its spaces is told all the same. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
const NEEDLES = CANARIES.map((canary) => [canary, plain(canary)] as const);

/** The first canary in a text, however it is spelled, percent-encoded or in base64. */
export function canaryIn(text: string): string | undefined {
  const readings = [
    text,
    decoded(text),
    ...[...text.matchAll(/[A-Za-z0-9+/_-]{20,}={0,2}/g)].map(([run]) => Buffer.from(run, 'base64').toString('utf8')),
  ];
  const haystacks = readings.map(plain);
  return NEEDLES.find(([, needle]) => haystacks.some((haystack) => haystack.includes(needle)))?.[0];
}

/** Percent signs that encode nothing stay as they are. */
const decoded = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
