import type { OperatorCommand } from './command.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Words that can follow some words of a command line. */
interface Place {
  /** Words before it, without the program and without options: '', 'failures', 'failures list'. */
  readonly behind: string;
  readonly offers: readonly { readonly word: string; readonly about: string }[];
}

/** A command line, as a script completes it. */
interface Completed {
  /** Name that is typed in the shell. */
  readonly program: string;
  /** Options whose value is the next word, of any command. */
  readonly valued: readonly string[];
  /** Beginnings of commands; then nothing else may follow. */
  readonly groups: readonly Place[];
  /** Whole commands with their options; ids and names may stand in between. */
  readonly commands: readonly Place[];
  /** Commands behind which the tool itself knows names. */
  readonly asked: readonly string[];
  /** Options whose values the tool itself knows, of any command. */
  readonly askedOptions: readonly string[];
}

/** Options that say where the tool looks for names. */
const WHERE = ['--environment', '--region', '--profile'];

/** Options of every command, by whether they have a value. */
type Common = Readonly<Record<string, { readonly type: 'boolean' | 'string' }>>;

/**
 * Returns the script by which a shell completes a command line: its commands and their options. For names that only the environment
 * knows it calls the tool (`complete`); if that fails, nothing is offered.
 * @param program command that starts the tool; its last word is what is completed: `npm run -s shop --` completes `shop`
 */
export function completionScript(
  shell: Shell,
  program: string,
  commands: readonly OperatorCommand[],
  common: Common,
): string {
  const completed: Completed = {
    program: executableName(program),
    valued: [...new Set(commands.flatMap(({ options }) => listValueOptions({ ...common, ...options })))],
    groups: listCompletionPoints(commands),
    commands: commands.map(({ name, options }) => ({
      behind: name,
      offers: Object.keys({ ...options, ...common }).map((option) => ({ word: `--${option}`, about: '' })),
    })),
    asked: commands.flatMap(({ name, names }) => (names?.word ? [name] : [])),
    askedOptions: [
      ...new Set(commands.flatMap(({ names }) => Object.keys(names?.options ?? {}).map((option) => `--${option}`))),
    ],
  };
  return SCRIPTS[shell](completed);
}

const executableName = (program: string): string =>
  program
    .split(' ')
    .filter((word) => !word.startsWith('-'))
    .at(-1)
    ?.replace(/^.*\//, '')
    .replace(/\.mjs$/, '') ?? program;

const listValueOptions = (options: Common): readonly string[] =>
  Object.entries(options).flatMap(([name, { type }]) => (type === 'string' ? [`--${name}`] : []));

function listCompletionPoints(commands: readonly OperatorCommand[]): readonly Place[] {
  const first = new Map<string, string>();
  for (const { name, about } of commands) {
    const [word = '', second] = name.split(' ');
    const group = commands.filter((one) => one.name.startsWith(`${word} `)).map((one) => one.name.split(' ')[1]);
    first.set(word, second === undefined ? about : group.join(', '));
  }
  const words = [...first].map(([word, about]) => ({ word, about }));
  const groups = [...first.keys()].flatMap((group) => {
    const offers = commands.flatMap(({ name, about }) =>
      name.startsWith(`${group} `) ? [{ word: name.slice(group.length + 1), about }] : [],
    );
    return offers.length === 0 ? [] : [{ behind: group, offers }];
  });
  return [{ behind: '', offers: words }, ...groups];
}

/** Name of a shell function. */
const shellFunctionName = (program: string): string => `_${program.replaceAll(/\W/g, '_')}`;

const joinWords = ({ offers }: Place): string => offers.map(({ word }) => word).join(' ');

/** Returns a pattern of shells that matches one of the words; without words it matches nothing. */
const anyOf = (words: readonly string[]): string => (words.length === 0 ? "''" : words.join('|'));
const anyLine = (names: readonly string[]): string =>
  names.length === 0 ? "'-'" : names.map((name) => `'${name}'|'${name} '*`).join('|');

/** Works in bash 3.2 (macOS) and later. The tool is called by `eval`, since its name may be an alias. */
const renderBash = ({
  program,
  valued,
  groups,
  commands,
  asked,
  askedOptions,
}: Completed): string => `# bash: source <(${program} completion bash)
${shellFunctionName(program)}() {
  local word="\${COMP_WORDS[COMP_CWORD]}" last="\${COMP_WORDS[COMP_CWORD-1]}" at=1 name='' offers='' where=''
  COMPREPLY=()
  while [ "$at" -lt "$COMP_CWORD" ]; do
    case "\${COMP_WORDS[at]}" in
      ${WHERE.join('|')}) where="$where \${COMP_WORDS[at]} $(printf %q "\${COMP_WORDS[at+1]:-}")"; at=$((at + 1)) ;;
      ${valued.join('|')}) at=$((at + 1)) ;;
      -*) ;;
      *) name="\${name:+$name }\${COMP_WORDS[at]}" ;;
    esac
    at=$((at + 1))
  done
  case "$last" in
    ${anyOf(askedOptions)}) offers="$(eval "${program} complete --line \\"\\$name\\" --option=\\"\\$last\\"$where" 2>/dev/null)"
      COMPREPLY=($(compgen -W "$offers" -- "$word")); return ;;
    ${valued.join('|')}) return ;;
  esac
  case "$name" in
${[...groups.map((place) => `    '${place.behind}') offers='${joinWords(place)}' ;;`), ...commands.map((place) => `    '${place.behind}'|'${place.behind} '*) offers='${joinWords(place)}' ;;`)].join('\n')}
  esac
  case "$word" in -*) ;; *)
    case "$name" in
      ${anyLine(asked)}) offers="$offers $(eval "${program} complete --line \\"\\$name\\"$where" 2>/dev/null)" ;;
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$offers" -- "$word"))
}
complete -F ${shellFunctionName(program)} ${program}`;

/** Quotes a text for a POSIX shell and zsh. */
const quoteForPosix = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Items of zsh's `_describe`: a word, a colon, what it is. */
const describeForZsh = ({ offers }: Place): string =>
  offers.map(({ word, about }) => quoteForPosix(about === '' ? word : `${word}:${about}`)).join(' ');

const renderZsh = ({
  program,
  valued,
  groups,
  commands,
  asked,
  askedOptions,
}: Completed): string => `#compdef ${program}
# zsh: source <(${program} completion zsh), behind compinit
${shellFunctionName(program)}() {
  local name='' at=2 where='' last="$words[CURRENT-1]"
  local -a offers
  while (( at < CURRENT )); do
    case "$words[at]" in
      (${WHERE.join('|')}) where+=" $words[at] \${(q)words[at+1]}"; (( at += 1 )) ;;
      (${valued.join('|')}) (( at += 1 )) ;;
      (-*) ;;
      (*) name="\${name:+$name }$words[at]" ;;
    esac
    (( at += 1 ))
  done
  case "$last" in
    (${anyOf(askedOptions)}) offers=(\${(f)"$(eval "${program} complete --line \\"\\$name\\" --option=\\"\\$last\\"$where" 2>/dev/null)"})
      _describe '${program}' offers; return ;;
    (${valued.join('|')}) return 1 ;;
  esac
  case "$name" in
${[...groups.map((place) => `    ('${place.behind}') offers=(${describeForZsh(place)}) ;;`), ...commands.map((place) => `    ('${place.behind}'|'${place.behind} '*) offers=(${describeForZsh(place)}) ;;`)].join('\n')}
  esac
  case "$words[CURRENT]" in (-*) ;; (*)
    case "$name" in
      (${anyLine(asked)}) offers+=(\${(f)"$(eval "${program} complete --line \\"\\$name\\"$where" 2>/dev/null)"}) ;;
    esac ;;
  esac
  _describe '${program}' offers
}
compdef ${shellFunctionName(program)} ${program}`;

/** Quotes a text for fish, where a backslash escapes within single quotes. */
const quoteForFish = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;

function renderFish({ program, valued, groups, commands, asked, askedOptions }: Completed): string {
  const own = `_${shellFunctionName(program)}`;
  const line = (condition: string, behind: string, offer: string): string =>
    `complete -c ${program} -n ${quoteForFish(`${own}_${condition} "${behind}"`)} ${offer}`;
  const words = groups.flatMap(({ behind, offers }) =>
    offers.map(({ word, about }) => line('at', behind, `-a ${word} -d ${quoteForFish(about)}`)),
  );
  const known = (word: string): string => (askedOptions.includes(word) ? ` -a '(${own}_names --option=${word})'` : '');
  const options = commands.flatMap(({ behind, offers }) =>
    offers.map(({ word }) =>
      line('behind', behind, `-l ${word.slice(2)}${valued.includes(word) ? ` -x${known(word)}` : ''}`),
    ),
  );
  const names = asked.map((behind) => line('behind', behind, `-a '(${own}_names)'`));
  return `# fish: ${program} completion fish | source
function ${own}_name
  set -l name
  set -l skips 0
  set -l tokens (commandline -opc)
  for one in $tokens[2..-1]
    if test $skips = 1
      set skips 0
      continue
    end
    switch $one
      case ${valued.join(' ')}
        set skips 1
      case '-*'
      case '*'
        set -a name $one
    end
  end
  echo "$name"
end
function ${own}_names
  type -q ${program}; or return
  test (count $argv) = 0; and string match -q -- '-*' (commandline -ct); and return
  set -l where
  set -l tokens (commandline -opc)
  for at in (seq 2 (math (count $tokens) - 1))
    if contains -- $tokens[$at] ${WHERE.join(' ')}
      set -a where $tokens[$at] $tokens[(math $at + 1)]
    end
  end
  ${program} complete --line (${own}_name) $argv $where 2>/dev/null
end
function ${own}_at
  set -l name (${own}_name)
  test "$name" = "$argv[1]"
end
function ${own}_behind
  set -l name (${own}_name)
  test "$name" = "$argv[1]"; or string match -q -- "$argv[1] *" "$name"
end
complete -c ${program} -f
${[...words, ...options, ...names].join('\n')}`;
}

const SCRIPTS: Readonly<Record<Shell, (completed: Completed) => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
};
