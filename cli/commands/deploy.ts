import { confirm, isCancel } from '@clack/prompts';
import type { Command } from 'commander';
import { createClients } from '../aws/clients.ts';
import { readOutputs, type StackOutputs } from '../aws/deployment.ts';
import { profileOf, refuseUnknownProfile } from '../aws/profiles.ts';
import { LOCAL_STAGE, nothingDeployed, resolveTarget, type Target } from '../aws/target.ts';
import { deployLocal, deployStage } from '../local/deploy.ts';
import { CliError, EXIT } from '../output/cli-error.ts';
import { printAnswer } from '../output/print.ts';
import { runSteps, step } from '../output/steps.ts';
import { formatTable } from '../output/table.ts';
import { globalOptions } from '../session.ts';

export function register(program: Command): void {
  program
    .command('deploy')
    .description('deploy the stacks of a stage with the CDK')
    .option('--context <key=value...>', 'context for the CDK application, for example paymentProviderUrl=https://… in stage prod')
    .option('--yes', 'do not ask before deploying to an AWS account')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run andal -- deploy\n  npm run andal -- deploy --stage test --profile my-team --region eu-central-1',
    )
    .action(async ({ yes = false, context = [] }: { yes?: boolean; context?: string[] }, command: Command) => {
      const { json = false, ...options } = globalOptions(command);
      const target = resolveTarget(options);
      refuseUnknownProfile(profileOf(target));
      if (target.endpointUrl === undefined && !yes) await askFirst(target);
      let outputs: StackOutputs = {};
      await runSteps(
        [
          step(`Deploying stage ${target.stage}`, async (onOutput) => {
            outputs = await deployTo(target, context, onOutput);
            return `Deployed stage ${target.stage}`;
          }),
        ],
        { json },
      );
      printAnswer(json, outputs, () => formatTable(['Output', 'Value'], Object.entries(outputs).sort()));
    });
}

async function deployTo(target: Target, context: readonly string[], onOutput: (line: string) => void): Promise<StackOutputs> {
  if (target.stage === LOCAL_STAGE && target.endpointUrl !== undefined) return deployLocal({ endpointUrl: target.endpointUrl, onOutput });
  await deployStage(target, context, onOutput);
  const clients = createClients(target);
  try {
    const outputs = await readOutputs(clients.cloudFormation, target.stage, target.endpointUrl);
    if (outputs === undefined) throw nothingDeployed(target);
    return outputs;
  } finally {
    clients.close();
  }
}

async function askFirst({ stage, region, profile = 'default credentials' }: Target): Promise<void> {
  if (!process.stdin.isTTY) {
    throw new CliError(`Deploying stage ${stage} changes an AWS account: say --yes to do it without being asked.`, {
      exitCode: EXIT.usage,
    });
  }
  const answer = await confirm({ message: `Deploy stage ${stage} to ${region} with ${profile}?`, initialValue: false });
  if (isCancel(answer) || !answer) throw new CliError('Nothing was deployed.');
}
