import type { CompletionPoint } from './words.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * A script for a shell, made once from all commands: a key press then costs no start of Node.
 *
 * @param root where the repository lies; the script also defines `andal`, unless there is such a command
 */
export function completionScript(shell: Shell, points: readonly CompletionPoint[], root: string): string {
  if (shell === 'fish') return fish(points, root);
  const script = bash(points, root);
  // Every zsh comes with what runs completions written for bash.
  return shell === 'zsh' ? `autoload -Uz compinit bashcompinit\n(( $+functions[compdef] )) || compinit\nbashcompinit\n${script}` : script;
}

/** Within single quotes every character but the quote itself is plain. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const invocation = (root: string): string => `npm --prefix ${quoted(root)} run --silent andal --`;

/** For zsh, too: there a variable `path` would be the search path, and slices of arrays are written otherwise. */
function bash(points: readonly CompletionPoint[], root: string): string {
  const wordsOf = ({ commands, options, values }: CompletionPoint): string =>
    [...commands.map(({ name }) => name), ...values, ...options.map(({ name }) => name)].join(' ');
  const valueCases = points.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ name, values }) => `    ${quoted(`${path}|${name}`)}) words=${quoted(values.join(' '))} ;;`),
  );
  const paths = points.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `type andal >/dev/null 2>&1 || andal() { ${invocation(root)} "$@"; }
_andal() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" at='' next words='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    next="\${at:+$at }\${COMP_WORDS[index]}"
    case "$next" in
      ${paths.join('|')}) at="$next" ;;
    esac
  done
  case "$at|$previous" in
${valueCases.join('\n')}
    *) case "$at" in
${points.map((point) => `      ${quoted(point.path)}) words=${quoted(wordsOf(point))} ;;`).join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _andal andal
`;
}

function fish(points: readonly CompletionPoint[], root: string): string {
  const lines = points.flatMap(({ path, commands, options, values }) => {
    const here = `-n ${quoted(`__andal_at ${quoted(path)}`)}`;
    return [
      ...commands.map(({ name, description }) => `complete -c andal -f ${here} -a ${quoted(name)} -d ${quoted(description)}`),
      ...values.map((value) => `complete -c andal -f ${here} -a ${quoted(value)}`),
      ...options.map(({ name, description, takesValue, values: choices }) => {
        const value = takesValue ? ` -x${choices.length === 0 ? '' : ` -a ${quoted(choices.join(' '))}`}` : '';
        return `complete -c andal ${here} -l ${quoted(name.slice(2))} -d ${quoted(description)}${value}`;
      }),
    ];
  });
  return `type -q andal; or function andal; ${invocation(root)} $argv; end
set -g __andal_paths ${points
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path))
    .join(' ')}
function __andal_at
  set -l path ''
  for word in (commandline -opc)[2..]
    set -l longer (string trim "$path $word")
    contains -- "$longer" $__andal_paths; and set path $longer
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`;
}
