// `completion`: prints the script of a shell. The script runs `completion` again with the words of
// the line, and gets the words that may come next.
import {
  type Argument,
  type Command,
  type CommandHost,
  type Input,
  type Option,
  type Word,
  withVariable,
} from './base/command.ts';
import { childOf, completeWords } from './base/parser.ts';
import { write } from './base/print.ts';
import { commandLineVariables } from './variables.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type ShellName = (typeof shells)[number];

export async function runCompletion(
  root: Command,
  { args, more }: Input,
  host: CommandHost,
): Promise<number> {
  const shell = shells.find((name) => name === args.shell) ?? 'bash';
  const { words: first } = args;
  if (first === undefined) await write(host, scripts[shell]);
  else {
    const line = [first, ...more];
    const lines = linesFor(shell, await complete(root, line, host));
    // Bash would replace a part of a name with the common start of the ids.
    const isAmbiguous =
      shell === 'bash' && !lines.startsWith(line.at(-1) ?? '') && count(lines) > 1;
    await write(host, isAmbiguous ? `${lines}\n` : lines);
  }
  return 0;
}

/** Instead of words: the script completes the path of a file. */
const files = 'files';

type Completion = readonly Word[] | typeof files;

/** Completes the last word of a line, which may be empty. */
async function complete(
  root: Command,
  line: readonly string[],
  host: CommandHost,
): Promise<Completion> {
  const word = line.at(-1) ?? '';
  const { command, position, option, given } = read(root, completeWords(root, line.slice(0, -1)));
  const begun = (words: readonly Word[]) => words.filter(({ text }) => text.startsWith(word));
  if (option === undefined && word.startsWith('-')) {
    return begun(optionWords([...(root.options ?? []), ...(command.options ?? [])]));
  }
  const { args = [], commands = [] } = command;
  const last = args.at(-1);
  const argument = args[position] ?? (last?.isList === true ? last : undefined);
  const place: Option | Argument | undefined = option ?? argument;
  if (place?.isFile === true) return files;
  const children = option === undefined && position === 0 ? commands : [];
  const words = begun([
    ...children.map(({ name, about }) => ({ text: name, about })),
    ...(place?.values ?? []).map((text) => ({ text, about: '' })),
  ]);
  if (place === undefined || words.length > 0) return words;
  if (place.name === 'profile') {
    const { listProfiles } = await import('./remote/profile.ts');
    return begun((await listProfiles(host.env)).map((text) => ({ text, about: '' })));
  }
  const { profile, workspace: workspaceId } = given;
  const caller =
    profile === undefined ? host : withVariable(host, commandLineVariables.profile, profile);
  const { completeValue } = await import('./remote/complete-value.ts');
  const values = await completeValue(place.name, caller);
  if (values !== undefined) return begun(values);
  const { completeId } = await import('./remote/complete-id.ts');
  return completeId({ name: place.name, word, line, workspaceId }, caller);
}

type Position = {
  readonly command: Command;
  /** The number of arguments before the word. */
  readonly position: number;
  /** The option whose value the word is. */
  readonly option: Option | undefined;
  /** The values of the options before the word. */
  readonly given: Readonly<Record<string, string>>;
};

function read(root: Command, words: readonly string[]): Position {
  let command = root;
  let position = 0;
  let option: Option | undefined;
  const given: Record<string, string> = {};
  for (const word of words) {
    if (option !== undefined) {
      given[option.name] = word;
      option = undefined;
    } else if (word.startsWith('-')) {
      const options = [...(root.options ?? []), ...(command.options ?? [])];
      const named = options.find(({ name, short }) => word === `--${name}` || word === `-${short}`);
      option = named?.value === undefined ? undefined : named;
    } else {
      const child = childOf(command, word);
      position = child === undefined ? position + 1 : 0;
      command = child ?? command;
    }
  }
  return { command, position, option, given };
}

function optionWords(options: readonly Option[]): Word[] {
  const words = options.flatMap(({ name, about, isNegatable }) => [
    { text: `--${name}`, about },
    ...(isNegatable ? [{ text: `--no-${name}`, about }] : []),
  ]);
  return [...words, { text: '--help', about: 'Explains the command.' }];
}

const count = (lines: string) => lines.split('\n').length - 1;

/** The line that asks the script for files. No word contains a colon. */
const filesLine = ':files\n';

/** A word and its description on each line: separated by a tab, in bash by two spaces. */
function linesFor(shell: ShellName, found: Completion): string {
  if (found === files) return filesLine;
  // Bash shows a list of whole lines, and inserts what all of them begin with.
  const separator = shell === 'bash' ? '  ' : '\t';
  const isDescribed = shell !== 'bash' || found.length > 1;
  return found
    .map(({ text, about }) =>
      isDescribed && about !== '' ? `${text}${separator}${about}\n` : `${text}\n`,
    )
    .join('');
}

const note = 'Completion for latchkey. Generated by: latchkey completion';

const scripts: Readonly<Record<ShellName, string>> = {
  bash: `# ${note} bash
_latchkey() {
  local line words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <("\${COMP_WORDS[0]}" completion bash -- "\${words[@]}" 2>/dev/null)
  [ "\${COMPREPLY[0]}" = :files ] || return 0
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
  compopt -o filenames 2>/dev/null
}
complete -F _latchkey latchkey
`,
  zsh: `#compdef latchkey
# ${note} zsh
_latchkey() {
  local -a lines found shown
  local line
  lines=("\${(@f)$("\${words[1]}" completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ \${lines[1]} == :files ]]; then _files; return; fi
  for line in \${lines}; do
    found+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done
  # The words that a name found do not begin with it.
  if [[ \${found[1]} == "$PREFIX"* ]]; then compadd -l -d shown -a found; return; fi
  (( \${#found} > 1 )) && compstate[insert]=menu
  compadd -U -l -d shown -a found
}
if [ "\${funcstack[1]}" = _latchkey ]; then _latchkey "$@"; else compdef _latchkey latchkey; fi
`,
  fish: `# ${note} fish
function __latchkey_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] completion fish -- $words[2..-1] 2>/dev/null)
    if test "$found[1]" = :files
        __fish_complete_path (commandline -ct)
    else
        printf '%s\\n' $found
    end
end
complete -c latchkey -f -a '(__latchkey_complete)'
`,
};
