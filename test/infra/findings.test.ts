import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { describe, expect, it } from 'vitest';
import { ACKNOWLEDGED_FINDINGS } from '../../infra/acknowledged-findings.ts';
import { acknowledges, findingsIn } from '../../infra/checks/reviewed-findings.ts';
import { synthesize } from './synthesize.ts';

const stages = ['test', 'prod'] as const;
const apps = { test: synthesize('test').app, prod: synthesize('prod').app };
const found = stages.flatMap((stage) => findingsIn(apps[stage]).map((finding) => ({ ...finding, stage })));

describe('what cdk-nag finds', () => {
  it.each(stages)('in stage %s is acknowledged with a reason, all of it', (stage) => {
    const open = found
      .filter((finding) => finding.stage === stage)
      .filter((finding) => !ACKNOWLEDGED_FINDINGS.some((one) => acknowledges(one, finding)));
    expect(open.map(({ rule, at, says }) => `${rule} at ${at}: ${says}`)).toEqual([]);
  });

  it.each(ACKNOWLEDGED_FINDINGS)('is still found where $rule is acknowledged at $at', (acknowledged) => {
    expect(found.some((finding) => acknowledges(acknowledged, finding))).toBe(true);
    expect(acknowledged.reason.length).toBeGreaterThan(30);
  });

  it('is acknowledged in the one list, not beside the resources', () => {
    const beside = stages.flatMap((stage) => apps[stage].node.findAll()).filter(hasAcknowledgement);
    expect(beside.map(({ node }) => node.path)).toEqual([]);
  });

  // Whoever reviews a change sees here what it lets pass.
  it('is left as it is at these places only', () => {
    const list = ACKNOWLEDGED_FINDINGS.map(({ rule, reason, at }) => ({
      rule: String(rule),
      reason,
      at: [
        ...new Set(
          found.filter((finding) => acknowledges({ rule, at, reason }, finding)).map((finding) => `${finding.stage}: ${finding.at}`),
        ),
      ],
    }));
    expect(list).toMatchSnapshot();
  });
});

const hasAcknowledgement = ({ node }: IConstruct): boolean =>
  node.metadata.some(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY);

describe('a synthesis', () => {
  it('ends when something new is found', () => {
    expect(() => synthesize('test', { validate: true, change: (settings) => ({ ...settings, apiThrottle: undefined }) })).toThrow(
      /Serverless-APIGWDefaultThrottling[\s\S]*infra\/acknowledged-findings\.ts|infra\/acknowledged-findings\.ts[\s\S]*Serverless-APIGWDefaultThrottling/,
    );
  });
});
