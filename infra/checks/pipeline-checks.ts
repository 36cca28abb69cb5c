import { readFileSync } from 'node:fs';
import {
  type App,
  type IPolicyValidationContext,
  type IPolicyValidationPlugin,
  type PolicyValidationPluginReport,
  Validations,
} from 'aws-cdk-lib';
import type { Settings } from '../settings.ts';
import { queuesHaveAlarms } from './alarm-rules.ts';
import { type Deployment, deploymentOf, nameOf, type StackTemplate } from './deployment.ts';
import { failuresAreReported, mappingsNameTheAlias, streamMappingsAreFiltered, visibilityCoversFunction } from './mapping-rules.ts';
import { deadLetterQueuesAreTheirs, leasesEndBeforeMessagesReturn, lettersOutliveMessages, recordsOutliveMessages } from './queue-rules.ts';
import { ReviewedFindings } from './reviewed-findings.ts';
import type { Rule } from './rule.ts';

export const PIPELINE_RULES: readonly Rule[] = [
  visibilityCoversFunction,
  failuresAreReported,
  mappingsNameTheAlias,
  streamMappingsAreFiltered,
  lettersOutliveMessages,
  deadLetterQueuesAreTheirs,
  recordsOutliveMessages,
  leasesEndBeforeMessagesReturn,
];

/** Ends the synthesis when resources contradict each other, with what is there and what to do about it. */
export class PipelineChecks implements IPolicyValidationPlugin {
  readonly name = 'andal';
  readonly #rules: readonly Rule[];

  constructor(rules: readonly Rule[] = PIPELINE_RULES) {
    this.#rules = rules;
  }

  validate({ stackTemplates }: IPolicyValidationContext): PolicyValidationPluginReport {
    const templates = stackTemplates.map(({ stackConstructPath, templatePath }): [string, StackTemplate] => [
      stackConstructPath,
      JSON.parse(readFileSync(templatePath, 'utf8')),
    ]);
    const violations = violationsOf(this.#rules, deploymentOf(Object.fromEntries(templates)));
    return { success: violations.length === 0, violations };
  }
}

const violationsOf = (rules: readonly Rule[], deployment: Deployment): PolicyValidationPluginReport['violations'] =>
  rules.flatMap((rule) =>
    rule.broken(deployment).map((broken) => ({
      ruleName: rule.name,
      description: `${nameOf(broken.at)}: ${broken.says}`,
      severity: 'error',
      fix: rule.fix,
      violatingResources: [
        { resourceLogicalId: broken.at.logicalId, constructPath: broken.at.constructPath ?? nameOf(broken.at), locations: ['Properties'] },
      ],
    })),
  );

/** What every synthesis has to pass. An emulator shows nothing to the world, so its stage is spared the security rules. */
export function addChecks(app: App, { alarms, emulatorEndpoint }: Settings): void {
  Validations.of(app).addPlugins(new PipelineChecks(alarms ? [...PIPELINE_RULES, queuesHaveAlarms] : PIPELINE_RULES));
  if (emulatorEndpoint === undefined) Validations.of(app).addPlugins(new ReviewedFindings());
}
