import type { IPolicyValidationContext, IPolicyValidationPlugin, PolicyValidationPluginReport } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { ACKNOWLEDGED_FINDINGS, type AcknowledgedFinding } from '../acknowledged-findings.ts';

export interface Finding {
  /** Rule and, where a rule has several findings on one resource, which. */
  readonly rule: string;
  /** Without the stage, so that stages compare: `Pipeline/Governor/EachMinute`. */
  readonly at: string;
  readonly path: string;
  readonly severity: string;
  readonly says: string;
}

const withoutStage = (path: string): string => path.replace(/^Andal-[a-z]+-/, '').replace(/\/Resource$/, '');

/** Everything that two rule packs of cdk-nag find in these stacks, acknowledged or not. */
export function findingsIn(app: IConstruct): Finding[] {
  const packs = [new AwsSolutionsChecks(), new ServerlessChecks()];
  return packs
    .flatMap((pack) => pack.validateScope(app).violations)
    .flatMap(({ ruleName: rule, severity = 'error', description: says, violatingResources }) =>
      violatingResources.map(({ constructPath: path = '' }) => ({ rule, at: withoutStage(path), path, severity, says })),
    );
}

export const acknowledges = ({ rule, at }: AcknowledgedFinding, finding: Finding): boolean =>
  (typeof rule === 'string' ? rule === finding.rule : rule.test(finding.rule)) && at.test(finding.at);

/**
 * Ends the synthesis when cdk-nag finds something that nobody has given a reason for (infra/acknowledged-findings.ts).
 *
 * Does not protect against what the rules do not know: they look at resources one by one, and at no code.
 */
export class ReviewedFindings implements IPolicyValidationPlugin {
  readonly name = 'cdk-nag';

  validate({ appConstruct }: IPolicyValidationContext): PolicyValidationPluginReport {
    const open = findingsIn(appConstruct).filter((finding) => !ACKNOWLEDGED_FINDINGS.some((one) => acknowledges(one, finding)));
    const byRule = Map.groupBy(open, ({ rule }) => rule);
    const violations = [...byRule].map(([ruleName, findings]) => ({
      ruleName,
      description: findings[0]?.says ?? ruleName,
      severity: 'error',
      fix: 'Repair it, or give the reason for leaving it in infra/acknowledged-findings.ts.',
      violatingResources: findings.map(({ path }) => ({ constructPath: path, locations: ['Properties'] })),
    }));
    return { success: violations.length === 0, violations };
  }
}
