/** A rule of the house that neither compiler nor linter knows: a pattern that certain files may not contain. */
export interface HouseRule {
  readonly name: string;
  readonly advice: string;
  /** Paths are relative to the repository and use `/`. */
  readonly appliesTo: (path: string) => boolean;
  readonly forbidden: RegExp;
}

const isCode = (path: string): boolean => /\.m?ts$/.test(path);
const isTest = (path: string): boolean => path.startsWith('test/') && path.endsWith('.test.ts');
const runsInLambda = (path: string): boolean => /^(?:shared|functions)\//.test(path) && isCode(path);
const isRuntime = (path: string): boolean => path.startsWith('shared/runtime/');
const getsItsWorld = (path: string): boolean => runsInLambda(path) && !isRuntime(path);
const isWiring = (path: string): boolean => /^functions\/[^/]+\/(?:wire|index(?:-[a-z]+)?)\.ts$/.test(path);
const isWire = (path: string): boolean => /^functions\/[^/]+\/wire\.ts$/.test(path);

// Spelled in pieces, so that this file does not break its own rule.
const unfinished = new RegExp(`\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'].join('|')})\\b`);

export const houseRules: readonly HouseRule[] = [
  {
    name: 'world-comes-in',
    advice:
      'environment, time and chance are read in shared/runtime only; take them as an argument, so that a test and a simulator can own them',
    appliesTo: getsItsWorld,
    forbidden:
      /process\.env|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\brandom(?:UUID|Bytes|Int)\b|\bgetRandomValues\b|\bperformance\.now\b|process\.hrtime|node:timers\/promises/,
  },
  {
    name: 'runtime-by-type',
    advice:
      'outside shared/runtime, wire.ts and index.ts only types of shared/runtime may be imported (import type); its values come in as arguments',
    appliesTo: (path) => getsItsWorld(path) && !isWiring(path),
    forbidden: /^import (?!type\b)[^;]*?from '(?:#shared|\.\.)\/runtime\//m,
  },
  {
    name: 'wiring-takes-its-system',
    advice: 'wire.ts takes clock, chance, logger and metrics from its argument, so that a simulator runs the very same wiring',
    appliesTo: isWire,
    forbidden: /^import (?!type\b)[^;]*?from '(?:#shared|\.\.)\/runtime\/(?:clock|random|logger|metrics|system)\.ts'/m,
  },
  {
    name: 'zod-by-namespace',
    advice: "write import * as z from 'zod': a named import keeps all of it in the bundle",
    appliesTo: isCode,
    forbidden: /^import (?!(?:type )?\* as z from)[^;]*?from 'zod'/m,
  },
  {
    name: 'whole-suite',
    advice: 'a test that does not run proves nothing: run it or delete it',
    appliesTo: isTest,
    forbidden: /\b(?:describe|it|test|suite)(?:\.[a-z]+)*\.(?:only|skip|todo|skipIf|runIf|fails)\b|\bx(?:it|describe|test)\(|\.skip\(\)/,
  },
  { name: 'finished', advice: 'finish it, or file it where work is planned', appliesTo: () => true, forbidden: unfinished },
  {
    name: 'waits-for-something',
    advice: 'a test never sleeps a fixed time: use virtual time, or poll with a deadline',
    appliesTo: isTest,
    forbidden: /await new Promise\(\(?\w+\)? => setTimeout\(|node:timers\/promises/,
  },
];

/** Names that say nothing about what a file knows. */
const emptyName = /(?:^|\/)(?:utils?|helpers?|commons?|types?|managers?|services?|misc)(?:\/|\.m?ts$)/;

/**
 * @param path relative to the repository
 * @returns one sentence for each rule the file breaks
 */
export function houseFaults(path: string, text: string): string[] {
  const faults = houseRules
    .filter((rule) => rule.appliesTo(path))
    .flatMap(({ name, advice, forbidden }) => {
      const match = forbidden.exec(text);
      return match === null ? [] : [`${path}:${lineOf(text, match.index)}: ${advice} (${name})`];
    });
  if (emptyName.test(path)) faults.push(`${path}: name a file after what it knows (telling-names)`);
  return faults;
}

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length;
