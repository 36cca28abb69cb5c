import type { IConfiguration, IRegularForbiddenRuleType } from 'dependency-cruiser';

/**
 * Who may import whom. The table is the architecture of shared/: a folder imports itself and what its line names, nothing else.
 * Type-only imports count too: what a file has to know about is what it depends on.
 */
const foundation = ['contract', 'domain'];
const concepts = ['item', 'retry', 'cache', 'outbox', 'payments', 'mail', 'exports', 'stock', 'control', 'dead-letter'];
/** Concepts whose state lies in the Control table. */
const shields = ['breaker', 'rate-limit'];
/** What stands on jobs: customers' requests and what finds forgotten work. */
const aboveJobs = ['requests', 'rescue'];

const mayImport: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  domain: ['contract'],
  http: foundation,
  ...Object.fromEntries(concepts.map((concept) => [concept, foundation])),
  'dead-letter': [...foundation, 'item', 'control', 'outbox', 'payments', 'exports', 'idempotency', 'worker'],
  ...Object.fromEntries(shields.map((shield) => [shield, [...foundation, 'control']])),
  worker: [...foundation, ...concepts, ...shields, 'idempotency'],
  // The persistence layer lies between item and worker: it writes what item builds and remembers how the worker's run ended.
  idempotency: [...foundation, ...concepts, 'worker'],
  jobs: [...foundation, 'worker'],
  requests: [...foundation, 'http', 'item', 'idempotency', 'worker', 'jobs'],
  rescue: [...foundation, 'item', 'outbox', 'breaker', 'control', 'worker', 'jobs', 'requests'],
  aws: [...foundation, ...concepts, ...aboveJobs, 'worker'],
  runtime: [...foundation, ...concepts, 'worker'],
};

const folder = (names: readonly string[]): string => `^shared/(?:${names.join('|')})/`;
const port = '^shared/[^/]+/[^/]+-port\\.ts$';
/** Their types may be known everywhere (scripts/house-rules.ts sees to it that only types are imported); their values are arguments. */
const worldTypes = '^shared/runtime/(?:clock|random|logger|metrics)\\.ts$';
/** Part of the world, though only adapters know what it is made of. */
const sdkOptions = '^shared/aws/sdk-options\\.ts$';
const npm = (...names: string[]): string => `(?:^|/)node_modules/(?:${names.join('|')})/`;
const sdk = npm('@aws-sdk', '@smithy');
const powertools = npm('@aws-lambda-powertools');
const cdk = npm('aws-cdk-lib', 'constructs', 'cdk-nag');
const tests = '^(?:test|bench)/';

type Rule = IRegularForbiddenRuleType & { name: string; comment: string };
const rule = (name: string, comment: string, from: Rule['from'], to: Rule['to']): Rule => ({
  name,
  comment,
  severity: 'error',
  from,
  to,
});

function beyondFolders(name: string): string[] {
  if (foundation.includes(name)) return [];
  if (name === 'runtime') return [worldTypes, sdkOptions];
  return name === 'jobs' ? [port] : [worldTypes];
}

const sharedRules = Object.entries(mayImport).map(([name, allowed]) =>
  rule(
    `shared-${name}`,
    `shared/${name} imports ${allowed.length === 0 ? 'no other folder' : `only ${allowed.join(', ')}`}${name === 'jobs' ? ' and ports' : ''}`,
    { path: folder([name]) },
    { path: '^(?:shared|functions|infra|cli|scripts)/', pathNot: [folder([name, ...allowed]), ...beyondFolders(name)] },
  ),
);

const functionRules = [
  rule(
    'functions-apart',
    'a function never imports another; what two need is a concept in shared/',
    { path: '^functions/([^/]+)/' },
    { path: '^functions/', pathNot: '^functions/$1/' },
  ),
  rule(
    'functions-only-shared',
    'functions import shared/ and nothing else of this repository',
    { path: '^functions/' },
    { path: '^(?:infra|cli|scripts)/' },
  ),
  rule(
    'handler-pure',
    'only wire.ts and index.ts wire: the other files of a function get their world as an argument',
    { path: '^functions/', pathNot: '^functions/[^/]+/(?:wire|index|index-[a-z]+)\\.ts$' },
    { path: folder(['aws', 'runtime']), pathNot: worldTypes },
  ),
  rule(
    'index-last',
    'index.ts is a cold start: nothing imports it but tests',
    { pathNot: tests },
    { path: '^functions/[^/]+/(?:index|index-[a-z]+)\\.ts$' },
  ),
  rule(
    'wiring-next-to-last',
    'wire.ts is imported by index.ts, which gives it the real world, and by tests, which give it another',
    { pathNot: [tests, '^functions/[^/]+/(?:index|index-[a-z]+)\\.ts$'] },
    { path: '^functions/[^/]+/wire\\.ts$' },
  ),
];

const outerRules = [
  rule(
    'infra-only-contract',
    'infra imports shared/contract and the job definitions (pure), never what runs',
    { path: '^infra/' },
    {
      path: '^(?:shared|functions|cli|scripts)/',
      pathNot: [folder(['contract', 'jobs']), '^shared/worker/define-job\\.ts$'],
    },
  ),
  rule(
    'cli-not-functions',
    'the CLI uses shared/ and the deployed pipeline, not its functions or stacks',
    { path: '^cli/' },
    { path: '^(?:functions|infra/(?!settings\\.ts$)|scripts)' },
  ),
  rule('nothing-imports-tests', 'no product code leans on test code', { pathNot: [tests, '^vitest\\.config\\.ts$'] }, { path: tests }),
];

const packageRules = [
  rule(
    'pure-foundation',
    'contract and domain import the schema library alone, and hashes',
    { path: folder(foundation) },
    { dependencyTypes: ['npm', 'npm-dev', 'core'], pathNot: [npm('zod'), '^crypto$'] },
  ),
  rule(
    'sdk-behind-adapters',
    '@aws-sdk is imported by shared/aws, shared/idempotency and cli/aws only',
    { pathNot: [folder(['aws', 'idempotency']), '^cli/aws/', tests] },
    { path: sdk },
  ),
  rule(
    'powertools-placed',
    'Powertools is imported by shared/idempotency, shared/worker and shared/runtime only',
    { pathNot: [folder(['idempotency', 'worker', 'runtime']), tests] },
    {
      path: powertools,
    },
  ),
  rule('cdk-in-infra', 'the CDK is imported by infra only', { pathNot: ['^infra/', tests] }, { path: cdk }),
  rule(
    'deployed-code-is-declared',
    'what is bundled into a function is a dependency, not a devDependency',
    { path: '^(?:shared|functions)/' },
    {
      dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
      pathNot: npm('@types'),
    },
  ),
];

const graphRules = [
  rule(
    'every-folder-has-a-place',
    'name a new folder of shared/ in the table of .dependency-cruiser.ts',
    { path: '^shared/', pathNot: folder(Object.keys(mayImport)) },
    {},
  ),
  rule(
    'alias-across-folders',
    'inside shared/, other folders are imported as #shared/<folder>/<file>.ts',
    { path: '^shared/([^/]+)/' },
    {
      path: '^shared/',
      pathNot: '^shared/$1/',
      dependencyTypesNot: ['aliased-subpath-import'],
    },
  ),
  rule(
    'alias-into-shared',
    'shared/ is imported as #shared/<folder>/<file>.ts',
    { pathNot: '^shared/' },
    { path: '^shared/', dependencyTypesNot: ['aliased-subpath-import'] },
  ),
  // Two files of one folder may describe one recursive type; a cycle at run time is the linter's (noImportCycles).
  rule(
    'no-cycle-across-folders',
    'folders do not depend on each other in a circle',
    { path: '^(shared/[^/]+|functions/[^/]+|infra|cli)/' },
    {
      circular: true,
      via: { pathNot: '^$1/' },
    },
  ),
  rule('no-orphans', 'a file nobody imports and that imports nobody is left over', { orphan: true, path: '^(?:shared|infra|cli)/' }, {}),
  rule('resolvable', 'every import resolves', {}, { couldNotResolve: true }),
];

const forbidden: Rule[] = [...sharedRules, ...functionRules, ...outerRules, ...packageRules, ...graphRules];

const configuration: IConfiguration & { forbidden: Rule[] } = {
  forbidden,
  options: {
    // TypeScript 7 has no parser for this tool to use; without swc it finds no module at all and reports success.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'node', 'default'] },
  },
};
export default configuration;
