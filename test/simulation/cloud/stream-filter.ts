import type { StreamRecord } from '../../support/fake-aws/fake-dynamodb.ts';

/** A pattern of an event source mapping's filter criteria, as it stands in the template. */
export type FilterPattern = { readonly [name: string]: FilterPattern | readonly FilterRule[] };
type FilterRule = string | { readonly prefix: string };

/** Whether any of the patterns matches: every name of a pattern is there, and one of its rules fits. Other rules are refused. */
export const acceptedBy =
  (patterns: readonly FilterPattern[]) =>
  (record: StreamRecord): boolean =>
    patterns.some((pattern) => matches(pattern, record));

function matches(pattern: FilterPattern | readonly FilterRule[], value: unknown): boolean {
  if (isRules(pattern)) return pattern.some((rule) => fits(rule, value));
  const members = value as Readonly<Record<string, unknown>> | undefined;
  for (const name in pattern) if (!matches(pattern[name] as FilterPattern, members?.[name])) return false;
  return true;
}

const isRules = (pattern: FilterPattern | readonly FilterRule[]): pattern is readonly FilterRule[] => Array.isArray(pattern);

function fits(rule: FilterRule, value: unknown): boolean {
  if (typeof rule === 'string') return value === rule;
  if (typeof rule.prefix !== 'string') throw new Error(`the filter rule ${JSON.stringify(rule)} is not simulated`);
  return typeof value === 'string' && value.startsWith(rule.prefix);
}
