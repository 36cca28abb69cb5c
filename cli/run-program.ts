import { type Command, CommanderError } from 'commander';
import { CliError, describeError, EXIT } from './output/cli-error.ts';
import { bad } from './output/paint.ts';
import { printNote } from './output/print.ts';

/** Parses the command line and runs it; every end is an exit code and, if it went wrong, a sentence on stderr. */
export async function runProgram(program: Command, argv: readonly string[] = process.argv): Promise<void> {
  forEachCommand(program, (command) => command.exitOverride());
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
}

function reportFailure(error: unknown): number {
  // Commander has already said what is wrong with the usage; help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  printNote(`${bad('Error:')} ${describeError(error)}`);
  if (process.env['ANDAL_DEBUG'] === '1') console.error(error);
  else if (!(error instanceof CliError)) printNote('Run again with ANDAL_DEBUG=1 for the stack trace.');
  return error instanceof CliError ? error.exitCode : EXIT.failed;
}

function forEachCommand(command: Command, act: (command: Command) => void): void {
  act(command);
  for (const child of command.commands) forEachCommand(child, act);
}
