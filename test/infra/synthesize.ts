import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { App, CfnResource } from 'aws-cdk-lib';
import { stackName } from '#shared/contract/stack-outputs.ts';
import { addChecks } from '../../infra/checks/pipeline-checks.ts';
import type { Stage } from '../../infra/context-values.ts';
import { createStacks } from '../../infra/create-stacks.ts';
import { readSettings, type Settings } from '../../infra/settings.ts';

interface TemplateResource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON whose shape CloudFormation decides; tests say what they expect in it
  readonly Properties: Record<string, any>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: string[];
}
export interface CfnTemplate {
  readonly Parameters?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly Resources: Record<string, TemplateResource>;
  readonly Outputs: Record<string, { Value: unknown; Export?: { Name: unknown } }>;
}

export interface Synthesized {
  readonly data: CfnTemplate;
  readonly pipeline: CfnTemplate;
  readonly sandbox: CfnTemplate | undefined;
  readonly observability: CfnTemplate | undefined;
  /** The construct tree, for what looks at that. */
  readonly app: App;
  readonly byStack: Readonly<Record<string, CfnTemplate>>;
  readonly all: CfnTemplate[];
  /** Where the bundled functions lie; whoever asked for them removes it. */
  readonly directory: string;
  /** What CloudFormation's rules found doubtful; what they found wrong ends the synthesis. */
  readonly doubts: unknown[];
  readonly tags: Record<string, Readonly<Record<string, string>>>;
  readonly terminationProtection: Record<string, boolean>;
}

const PROVIDER_URL = 'https://payments.example';

export const settingsOf = (stage: Stage): Settings =>
  readSettings({ stage, ...(stage === 'prod' ? { paymentProviderUrl: PROVIDER_URL } : {}), endpointUrl: 'http://127.0.0.1:4566' });

interface Synthesis {
  /** Bundle the functions; templates do not depend on it. */
  readonly bundle?: boolean;
  /** Check the templates against CloudFormation's rules, which takes seconds; once for each stage is enough. */
  readonly validate?: boolean;
  /** Breaks a resource on purpose before the templates are written. */
  readonly tamper?: (path: string, resource: CfnResource) => void;
  /** Other settings than the stage's own. */
  readonly change?: (settings: Settings) => Settings;
}

/** What `cdk synth` writes with this repository's cdk.json. */
export function synthesize(
  stage: Stage,
  { bundle = false, validate = false, tamper, change = (settings) => settings }: Synthesis = {},
): Synthesized {
  process.env['CDK_VALIDATION'] = String(validate);
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const directory = mkdtempSync(join(tmpdir(), `andal-${stage}-`));
  const settings = change(settingsOf(stage));
  const app = new App({ outdir: directory, context: { ...context, ...(bundle ? {} : { 'aws:cdk:bundling-stacks': [] }) } });
  createStacks(app, settings);
  if (validate) addChecks(app, settings);
  if (tamper !== undefined)
    for (const construct of app.node.findAll()) if (CfnResource.isCfnResource(construct)) tamper(construct.node.path, construct);
  const assembly = app.synth();
  const byStack: Record<string, CfnTemplate> = Object.fromEntries(
    assembly.stacks.map((stack) => [stack.stackName, { Outputs: {}, ...stack.template }]),
  );
  const templateOf = (part: Parameters<typeof stackName>[1]): CfnTemplate | undefined => byStack[stackName(stage, part)];
  const [data, pipeline, sandbox, observability] = [
    templateOf('Data'),
    templateOf('Pipeline'),
    templateOf('Sandbox'),
    templateOf('Observability'),
  ];
  if (data === undefined || pipeline === undefined) throw new Error(`stage ${stage} lacks a stack`);
  const terminationProtection = Object.fromEntries(assembly.stacks.map((stack) => [stack.stackName, stack.terminationProtection ?? false]));
  const tags = Object.fromEntries(assembly.stacks.map((stack) => [stack.stackName, stack.tags]));
  const doubts = doubtsIn(join(directory, 'validation-report.json'));
  if (!bundle) rmSync(directory, { recursive: true });
  return {
    data,
    pipeline,
    sandbox,
    observability,
    app,
    byStack,
    all: Object.values(byStack),
    directory,
    doubts,
    tags,
    terminationProtection,
  };
}

const doubtsIn = (report: string): unknown[] => (existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).pluginReports : []);

export const resourcesOf = ({ Resources }: CfnTemplate, type: string): [string, TemplateResource][] =>
  Object.entries(Resources).filter(([, resource]) => resource.Type === type);

/** The one resource of a type whose logical id starts so. */
export function resourceNamed(template: CfnTemplate, type: string, prefix: string): [string, TemplateResource] {
  const found = resourcesOf(template, type).filter(([id]) => id.startsWith(prefix));
  if (found.length !== 1) throw new Error(`${found.length} resources of type ${type} are called ${prefix}…`);
  return found[0]!;
}

/** Logical id of the function that a mapping, an integration or a schedule reaches through its alias. */
export function functionBehind(template: CfnTemplate, reference: unknown): string {
  // A mapping names the alias in words: its name is cut out of its ARN.
  const [, id = ''] = /"Ref":"(\w+)"/.exec(JSON.stringify(reference)) ?? [];
  const alias = template.Resources[id];
  if (alias?.Type !== 'AWS::Lambda::Alias') throw new Error(`${JSON.stringify(reference)} is no alias`);
  return alias.Properties['FunctionName'].Ref;
}
