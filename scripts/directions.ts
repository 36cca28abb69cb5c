import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cruise, type ICruiseResult, type IModule } from 'dependency-cruiser';
import configuration from '../.dependency-cruiser.ts';

const ROOTS = ['shared', 'functions', 'infra', 'cli', 'scripts', 'test', 'bench'];
/** Far below what the repository holds; a cruise that sees less has lost its parser or its roots. */
const MINIMUM_MODULES = 30;

/**
 * Holds the imports below `directory` against .dependency-cruiser.ts.
 *
 * Does not protect against imports computed at run time; none are allowed to exist.
 *
 * @returns one sentence a fault; empty when every import may be there
 */
export async function directionFaults(directory: string, { minimumModules = MINIMUM_MODULES } = {}): Promise<string[]> {
  const roots = ROOTS.filter((root) => existsSync(join(directory, root)));
  const { forbidden, options } = configuration;
  const result = await cruise(roots, { ...options, baseDir: directory, validate: true, ruleSet: { forbidden } });
  if (typeof result.output === 'string') throw new Error('dependency-cruiser answered with a text where its result was expected');
  return [...blindness(result.output, minimumModules), ...violations(result.output)];
}

/** A check that saw nothing passes. These sentences keep it from doing so. */
export function blindness({ modules }: Pick<ICruiseResult, 'modules'>, minimumModules: number): string[] {
  const own = modules.filter(isOwn);
  const aliased = own.flatMap((module) => module.dependencies).filter((dependency) => dependency.module.startsWith('#shared/'));
  const resolved = aliased.filter((dependency) => dependency.resolved.startsWith('shared/'));
  const faults: string[] = [];
  if (own.length < minimumModules) {
    faults.push(`only ${own.length} modules were found, at least ${minimumModules} are expected: is @swc/core installed? (npm ci)`);
  }
  // A single import that does not resolve is reported by its own rule.
  if (resolved.length === 0) faults.push('the alias #shared/* resolved nowhere: see "imports" in package.json');
  return faults;
}

const isOwn = (module: IModule): boolean => ROOTS.some((root) => module.source.startsWith(`${root}/`));

function violations({ summary, modules }: ICruiseResult): string[] {
  const comments = new Map(configuration.forbidden.map((rule) => [rule.name, rule.comment]));
  const found = summary.violations.map(
    ({ from, to, rule }) => `${from === to ? from : `${from} → ${to}`}: ${comments.get(rule.name)} (${rule.name})`,
  );
  return modules.length === 0 ? [] : [...new Set(found)];
}
