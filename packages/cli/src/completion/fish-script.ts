import type { DescribedCommand, DescribedOption } from './describe-commands.ts'

export function fishScript(commands: readonly DescribedCommand[]): string {
  const nested = commands.filter(({ path }) => path !== '')
  return `# fish completion for mandate
function __mandate_at
    set -l at ''
    for word in (commandline -opc)[2..]
        switch "$at $word"
            case ${nested.map(({ path }) => quoted(` ${path}`)).join(' ')}
                set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
${commands.flatMap(linesOf).join('\n')}`
}

function linesOf(command: DescribedCommand): string[] {
  const at = quoted(`__mandate_at ${quoted(command.path && ` ${command.path}`)}`)
  const line = (rest: string, description: string) =>
    `complete -c mandate -n ${at} ${rest}${description ? ` -d ${quoted(description)}` : ''}`
  return [
    ...command.subcommands.map(({ name, description }) => line(`-f -a ${quoted(name)}`, description)),
    ...command.words.map((word) => line(`-f -a ${quoted(word)}`, '')),
    ...command.options.map((option) => line(optionText(option), option.description)),
  ]
}

function optionText({ flags, valued, choices }: DescribedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)).join(' ')
  if (choices.length > 0) return `${names} -x -a ${quoted(choices.join(' '))}`
  return valued ? `${names} -r` : names
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
