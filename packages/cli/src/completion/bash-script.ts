import type { DescribedCommand } from './describe-commands.ts'

/** Words need no escaping, because command names and options contain no characters that are special to the shell. */
export function bashScript(commands: readonly DescribedCommand[]): string {
  const nested = commands.filter(({ path }) => path !== '')
  return `# bash completion for mandate
_mandate() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} path='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${nested.map(({ path }) => `' ${path}'`).join(' | ')}) path="$path $word" ;;
    esac
  done
  case "$path $prev" in
${commands.flatMap(choiceCases).join('\n')}
  esac
  case "$path" in
${commands.map((command) => `    '${command.path && ` ${command.path}`}') words='${wordsOf(command)}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _mandate mandate`
}

function choiceCases({ path, options }: DescribedCommand): string[] {
  const before = path && ` ${path}`
  return options
    .filter(({ valued }) => valued)
    .flatMap(({ flags, choices }) =>
      flags.map(
        (flag) => `    '${before} ${flag}') COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$cur")); return ;;`,
      ),
    )
}

function wordsOf({ subcommands, options, words }: DescribedCommand): string {
  return [...subcommands.map(({ name }) => name), ...words, ...options.flatMap(({ flags }) => flags)].join(' ')
}
