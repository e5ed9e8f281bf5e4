import type { Command, Option } from 'commander'

export interface DescribedOption {
  /** Such as `--json`; the short form too where there is one. */
  flags: string[]
  description: string
  /** Takes a value. */
  valued: boolean
  choices: readonly string[]
}

export interface DescribedCommand {
  /** The words that lead to it, after the program's own: `agents list`. Empty for the program. */
  path: string
  subcommands: { name: string; description: string }[]
  options: DescribedOption[]
  /** Words that its arguments may be. */
  words: readonly string[]
}

/** The commands as the shells need them, each with what may follow it. */
export function describeCommands(program: Command, path: readonly string[] = []): DescribedCommand[] {
  const help = { flags: ['--help'], description: 'display help', valued: false, choices: [] }
  const described = {
    path: path.join(' '),
    subcommands: program.commands.map((one) => ({ name: one.name(), description: one.description() })),
    options: [...program.options.map(describeOption), help],
    words: program.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  }
  return [described, ...program.commands.flatMap((one) => describeCommands(one, [...path, one.name()]))]
}

function describeOption({ long, short, description, required, optional, argChoices }: Option): DescribedOption {
  return {
    flags: [long, short].filter((flag) => flag !== undefined && flag !== null) as string[],
    description,
    valued: required || optional,
    choices: argChoices ?? [],
  }
}
