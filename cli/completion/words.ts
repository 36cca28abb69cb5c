import type { Command } from 'commander';

/** What may follow a command that has been typed: its commands, options, and the values that can be named beforehand. */
export interface CompletionPoint {
  /** The commands typed so far, joined by spaces; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly {
    readonly name: string;
    readonly description: string;
    readonly takesValue: boolean;
    readonly values: readonly string[];
  }[];
  readonly values: readonly string[];
}

/** @param values of arguments that are checked by a function instead of a list, by the argument's name */
export function completionPoints(program: Command, values: Readonly<Record<string, readonly string[]>>): CompletionPoint[] {
  const pointsOf = (command: Command, path: readonly string[], inherited: readonly Command[]): CompletionPoint[] => {
    const help = command.createHelp();
    const commands = help.visibleCommands(command);
    const options = [command, ...inherited].flatMap((one) => one.createHelp().visibleOptions(one)).filter(({ long }) => long !== undefined);
    const unique = [...new Map(options.map((option) => [option.long, option])).values()];
    const point: CompletionPoint = {
      path: path.join(' '),
      commands: commands.map((child) => ({ name: child.name(), description: child.description() })),
      options: unique.map(({ long, description, required, optional, argChoices = [] }) => {
        return { name: long ?? '', description, takesValue: required || optional, values: argChoices };
      }),
      values: command.registeredArguments.flatMap((argument) => argument.argChoices ?? values[argument.name()] ?? []),
    };
    const own = commands.filter((child) => child.name() !== 'help');
    return [point, ...own.flatMap((child) => pointsOf(child, [...path, child.name()], [...inherited, command]))];
  };
  return pointsOf(program, [], []);
}
