import { confirm, isCancel } from '@clack/prompts';
import type { Command } from 'commander';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { runDemo } from '../demo/demo.ts';
import { runLoad } from '../demo/load.ts';
import { formatReport } from '../demo/report.ts';
import { CliError, EXIT } from '../output/cli-error.ts';
import { printAnswer } from '../output/print.ts';
import { globalOptions, type Session, withSession } from '../session.ts';
import { wholeNumber } from './whole-number.ts';

const parseCount = wholeNumber('The number of orders is a whole number from 1 to 100000, in plain digits.', { min: 1, max: 100_000 });

interface DemoOptions {
  readonly orders?: number;
  readonly yes?: boolean;
}

export function register(program: Command): void {
  program
    .command('demo')
    .description('show the promises with real orders over HTTP; exit 1 when one is broken')
    .option('--orders <number>', 'load version: so many orders, one in ten delivered twice, one in twenty with a lost answer', parseCount)
    .option('--yes', 'do not ask before making orders in an AWS account')
    .addHelpText('after', '\nExamples:\n  npm run andal -- demo\n  npm run andal -- demo --orders 1000')
    .action((options: DemoOptions, command: Command) =>
      withSession(globalOptions(command), async (session) => {
        await refuseWithoutSandbox(session, options.yes ?? false);
        process.exitCode = await demo(session, options.orders);
      }),
    );
}

/** Runs and prints the demo. @returns the exit code of its verdict */
export async function demo(session: Session, orders?: number): Promise<number> {
  const report = orders === undefined ? await runDemo(session) : await runLoad(session, orders);
  printAnswer(session.json, report, () => `\n${formatReport(report)}`);
  return report.ok ? EXIT.ok : EXIT.failed;
}

async function refuseWithoutSandbox({ outputs, target }: Session, yes: boolean): Promise<void> {
  if (outputs[STACK_OUTPUTS.sandboxUrl] === undefined) {
    throw new CliError(
      `Stage ${target.stage} charges a real provider; the demo runs where the payment sandbox is (stages local and test).`,
      { exitCode: EXIT.usage },
    );
  }
  if (target.endpointUrl !== undefined || yes) return;
  if (!process.stdin.isTTY)
    throw new CliError(`The demo makes orders in the AWS account of stage ${target.stage}: say --yes to do it without being asked.`, {
      exitCode: EXIT.usage,
    });
  const answer = await confirm({ message: `Make demo orders in stage ${target.stage} of your AWS account?`, initialValue: false });
  if (isCancel(answer) || !answer) throw new CliError('The demo was not run.');
}
