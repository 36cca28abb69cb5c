import { type Command, CommanderError } from 'commander';
import { CliError, describeError, EXIT, type ExitCode } from './output/cli-error.ts';
import { bad } from './output/paint.ts';
import { printNote } from './output/print.ts';

/**
 * Parses the command line and runs it; every end is an exit code and, if it went wrong, a sentence on stderr. Under --json the
 * sentence is a document: `{ "error", "code", "exitCode" }`.
 */
export async function runProgram(program: Command, argv: readonly string[] = process.argv): Promise<void> {
  const json = asksForJson(program, argv);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', unlessClosed);
  forEachCommand(program, (command) => {
    command.showHelpAfterError(`(see \`${helpOf(command)}\`)`);
    // Commander would say what is wrong with the usage by itself, as text.
    if (json) command.configureOutput({ writeErr: () => {} });
    command.exitOverride((error) => {
      throw error.exitCode === 0 ? error : new UsageError(command, error);
    });
  });
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = json ? reportAsJson(error) : report(error);
  }
}

/** Whoever reads has seen enough (`| head -1`); what was asked for is done all the same, and its exit code says how it ended. */
function unlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Read from the words themselves, because a command line that cannot be parsed asks for it as well. */
function asksForJson(program: Command, argv: readonly string[]): boolean {
  const words = argv.slice(2);
  const end = words.indexOf('--');
  const knowsJson = program.options.some(({ long }) => long === '--json');
  return knowsJson && (end < 0 ? words : words.slice(0, end)).includes('--json');
}

/** Wrong usage, and the command whose usage it is. */
class UsageError extends Error {
  constructor(command: Command, { code, message }: CommanderError) {
    const what = code === 'commander.help' ? 'name a command' : message.replace(/^error: /, '');
    super(`${what} (see \`${helpOf(command)}\`)`);
  }
}

function report(error: unknown): ExitCode {
  // Commander has already said what is wrong with the usage; help and version are no errors.
  if (error instanceof CommanderError) return EXIT.ok;
  if (error instanceof UsageError) return EXIT.usage;
  printNote(`${bad('Error:')} ${describeError(error)}`);
  if (isDebugging()) console.error(error);
  else if (!(error instanceof CliError)) printNote('Run again with ANDAL_DEBUG=1 for the stack trace.');
  return exitCodeOf(error);
}

const CODES: Readonly<Record<ExitCode, string>> = {
  [EXIT.ok]: 'ok',
  [EXIT.failed]: 'failed',
  [EXIT.usage]: 'wrong-usage',
  [EXIT.nothingFound]: 'nothing-found',
  [EXIT.partlyDone]: 'partly-done',
};

function reportAsJson(error: unknown): ExitCode {
  if (error instanceof CommanderError) return EXIT.ok;
  const exitCode = exitCodeOf(error);
  const sentence = error instanceof UsageError ? error.message : describeError(error);
  const stack = isDebugging() && error instanceof Error ? { stack: error.stack } : {};
  printNote(JSON.stringify({ error: sentence, code: CODES[exitCode], exitCode, ...stack }));
  return exitCode;
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return EXIT.usage;
  return error instanceof CliError ? error.exitCode : EXIT.failed;
}

const isDebugging = (): boolean => process.env['ANDAL_DEBUG'] === '1';

/** What to type for the help of this very command. */
function helpOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  return `${names.join(' ')} --help`;
}

export function forEachCommand(command: Command, act: (command: Command) => void): void {
  act(command);
  for (const child of command.commands) forEachCommand(child, act);
}
