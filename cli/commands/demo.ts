import { confirm, isCancel } from '@clack/prompts';
import { Argument, type Command } from 'commander';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { runDemo } from '../demo/demo.ts';
import { runLoad } from '../demo/load.ts';
import { runOutage } from '../demo/outage/outage.ts';
import { formatReport } from '../demo/report.ts';
import { CliError, EXIT } from '../output/cli-error.ts';
import { printAnswer } from '../output/print.ts';
import { globalOptions, type Session, withSession } from '../session.ts';
import { wholeNumber } from './whole-number.ts';

const parseCount = wholeNumber('The number of orders is a whole number from 1 to 100000, in plain digits.', { min: 1, max: 100_000 });

const parseSeconds = wholeNumber('The outage lasts a whole number of seconds from 1 to 3600, in plain digits.', { min: 1, max: 3_600 });

const OUTAGE = { orders: 300, seconds: 60 };

interface DemoOptions {
  readonly orders?: number;
  readonly seconds?: number;
  readonly yes?: boolean;
}

export function register(program: Command): void {
  program
    .command('demo')
    .description('show the promises with real orders over HTTP; exit 1 when one is broken')
    .addArgument(
      new Argument('[scene]', 'outage: the provider refuses connections while orders wait (stage local; takes minutes)').choices([
        'outage',
      ]),
    )
    .option(
      '--orders <number>',
      'load version: so many orders, one in ten twice, one in twenty with a lost answer; orders that wait for an outage to end',
      parseCount,
    )
    .option('--seconds <number>', 'how long an outage lasts once its orders wait', parseSeconds)
    .option('--yes', 'do not ask before making orders in an AWS account')
    .addHelpText(
      'after',
      `
An outage gives the workers an address of this process for their provider, and the old one back at the end: ${OUTAGE.orders} orders and ${OUTAGE.seconds} s
where nothing else is said. One of a minute and more lasts until the governor, which comes each minute, has switched the queue off.

Examples:
  npm run andal -- demo
  npm run andal -- demo --orders 1000
  npm run andal -- demo outage
  npm run andal -- demo outage --orders 40 --seconds 20`,
    )
    .action((scene: 'outage' | undefined, options: DemoOptions, command: Command) =>
      withSession(globalOptions(command), async (session) => {
        if (scene === undefined && options.seconds !== undefined)
          throw new CliError('--seconds belongs to an outage: `npm run andal -- demo outage --seconds 20`.', { exitCode: EXIT.usage });
        await refuseWithoutSandbox(session, options.yes ?? false);
        process.exitCode = scene === 'outage' ? await outage(session, options) : await demo(session, options.orders);
      }),
    );
}

async function outage(session: Session, { orders, seconds }: DemoOptions): Promise<number> {
  const report = await runOutage(session, { orders: orders ?? OUTAGE.orders, seconds: seconds ?? OUTAGE.seconds });
  printAnswer(session.json, report, () => `\n${report.timeline.join('\n')}\n\n${formatReport(report)}`);
  return report.ok ? EXIT.ok : EXIT.failed;
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
