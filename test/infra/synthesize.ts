import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { App } from 'aws-cdk-lib';
import { stackName } from '#shared/contract/stack-outputs.ts';
import { createStacks } from '../../infra/create-stacks.ts';
import { readSettings, type Settings, type Stage } from '../../infra/settings.ts';

interface CfnResource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON whose shape CloudFormation decides; tests say what they expect in it
  readonly Properties: Record<string, any>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: string[];
}
export interface CfnTemplate {
  readonly Resources: Record<string, CfnResource>;
  readonly Outputs: Record<string, { Value: unknown; Export?: unknown }>;
}

export interface Synthesized {
  readonly data: CfnTemplate;
  readonly pipeline: CfnTemplate;
  readonly sandbox: CfnTemplate | undefined;
  readonly all: CfnTemplate[];
  /** Where the bundled functions lie; whoever asked for them removes it. */
  readonly directory: string;
  /** What CloudFormation's rules found doubtful; what they found wrong ends the synthesis. */
  readonly doubts: unknown[];
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
}

/** What `cdk synth` writes with this repository's cdk.json. */
export function synthesize(stage: Stage, { bundle = false, validate = false }: Synthesis = {}): Synthesized {
  process.env['CDK_VALIDATION'] = String(validate);
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const directory = mkdtempSync(join(tmpdir(), `andal-${stage}-`));
  const app = new App({ outdir: directory, context: { ...context, ...(bundle ? {} : { 'aws:cdk:bundling-stacks': [] }) } });
  createStacks(app, settingsOf(stage));
  const assembly = app.synth();
  const templateOf = (part: 'Data' | 'Pipeline' | 'Sandbox'): CfnTemplate | undefined =>
    assembly.stacks.find((stack) => stack.stackName === stackName(stage, part))?.template;
  const [data, pipeline, sandbox] = [templateOf('Data'), templateOf('Pipeline'), templateOf('Sandbox')];
  if (data === undefined || pipeline === undefined) throw new Error(`stage ${stage} lacks a stack`);
  const terminationProtection = Object.fromEntries(assembly.stacks.map((stack) => [stack.stackName, stack.terminationProtection ?? false]));
  const doubts = doubtsIn(join(directory, 'validation-report.json'));
  if (!bundle) rmSync(directory, { recursive: true });
  return {
    data,
    pipeline,
    sandbox,
    all: [data, pipeline, ...(sandbox === undefined ? [] : [sandbox])],
    directory,
    doubts,
    terminationProtection,
  };
}

const doubtsIn = (report: string): unknown[] => (existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).pluginReports : []);

export const resourcesOf = ({ Resources }: CfnTemplate, type: string): [string, CfnResource][] =>
  Object.entries(Resources).filter(([, resource]) => resource.Type === type);

/** The one resource of a type whose logical id starts so. */
export function resourceNamed(template: CfnTemplate, type: string, prefix: string): [string, CfnResource] {
  const found = resourcesOf(template, type).filter(([id]) => id.startsWith(prefix));
  if (found.length !== 1) throw new Error(`${found.length} resources of type ${type} are called ${prefix}…`);
  return found[0]!;
}
