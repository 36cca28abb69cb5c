import { Argument, type Command } from 'commander';
import { repositoryRoot } from '../aws/target.ts';
import { completionScript, SHELLS, type Shell } from '../completion/scripts.ts';
import { completionPoints } from '../completion/words.ts';
import { printAnswer } from '../output/print.ts';
import { globalOptions } from '../session.ts';
import { JOB_KINDS } from './job-kind.ts';

export function register(program: Command): void {
  program
    .command('completion')
    .description('print a script that lets your shell complete commands, options and job kinds after `andal`')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
The script also defines the command \`andal\` for this directory, unless there is one. Print it anew after an update.

Examples:
  npm run --silent andal -- completion bash >> ~/.bashrc
  npm run --silent andal -- completion zsh >> ~/.zshrc
  npm run --silent andal -- completion fish > ~/.config/fish/conf.d/andal.fish
  npm run andal -- completion bash`,
    )
    .action((shell: Shell, _options: unknown, command: Command) => {
      const script = completionScript(shell, completionPoints(program, { kind: JOB_KINDS }), repositoryRoot.replace(/\/$/, ''));
      printAnswer(globalOptions(command).json ?? false, { shell, script }, () => script.trimEnd());
    });
}
