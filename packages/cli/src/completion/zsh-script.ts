import type { DescribedCommand } from './describe-commands.ts'

export function zshScript(commands: readonly DescribedCommand[]): string {
  const nested = commands.filter(({ path }) => path !== '')
  return `#compdef mandate
_mandate() {
  local at='' word prev=\${words[CURRENT-1]}
  local -a found
  for word in \${words[2,CURRENT-1]}; do
    case "$at $word" in
      (${nested.map(({ path }) => `${quoted(` ${path}`)}`).join(' | ')}) at="$at $word" ;;
    esac
  done
  case "$at $prev" in
${commands.flatMap(choiceCases).join('\n')}
  esac
  case "$at" in
${commands.map((command) => `    (${quoted(command.path && ` ${command.path}`)}) found=(${entriesOf(command)}) ;;`).join('\n')}
  esac
  _describe 'mandate' found || _files
}
if [ "$funcstack[1]" = _mandate ]; then _mandate "$@"; else compdef _mandate mandate; fi`
}

function choiceCases({ path, options }: DescribedCommand): string[] {
  return options
    .filter(({ valued }) => valued)
    .flatMap(({ flags, choices }) =>
      flags.map((flag) => {
        const then = choices.length > 0 ? `compadd -- ${choices.map(quoted).join(' ')}` : '_files'
        return `    (${quoted(`${path && ` ${path}`} ${flag}`)}) ${then}; return ;;`
      }),
    )
}

function entriesOf({ subcommands, options, words }: DescribedCommand): string {
  return [
    ...subcommands.map(({ name, description }) => entry(name, description)),
    ...words.map((word) => quoted(word)),
    ...options.flatMap(({ flags, description }) => flags.map((flag) => entry(flag, description))),
  ].join(' ')
}

// zsh splits an entry into word and description at the colon.
const entry = (word: string, description: string) =>
  quoted(`${word.replaceAll(':', '\\:')}:${description.replaceAll(':', '\\:')}`)
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
