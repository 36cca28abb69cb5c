import { confirm, isCancel } from '@clack/prompts';
import { CliError, EXIT } from '../../output/cli-error.ts';
import type { Session } from '../../session.ts';

/** Whether somebody sits there who can be asked. */
export const canAsk = ({ json }: Pick<Session, 'json'>): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true && !json;

/** @param act as in `This may replay many letters` */
export const nobodyToAsk = (act: string): CliError =>
  new CliError(
    `This may ${act} many letters, and nobody is there to be asked: say --yes to do it, or --dry-run to see what would be done.`,
    {
      exitCode: EXIT.usage,
    },
  );

/**
 * @param plan what would be done, shown above the question
 * @throws CliError when the answer is no
 */
export async function askBeforeBulk(plan: string, question: string): Promise<void> {
  process.stdout.write(`${plan}\n\n`);
  const answer = await confirm({ message: question, initialValue: false });
  if (isCancel(answer) || !answer) throw new CliError('Nothing was done.');
}
