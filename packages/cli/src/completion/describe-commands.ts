import type { Command, Option } from 'commander'

export interface DescribedOption {
  /** The long form, such as `--json`, and the short form if it exists. */
  flags: string[]
  description: string
  /** Whether the option takes a value. */
  valued: boolean
  choices: readonly string[]
}

export interface DescribedCommand {
  /** The full command without the program name, such as `agents list`. Empty for the program itself. */
  path: string
  subcommands: { name: string; description: string }[]
  options: DescribedOption[]
  /** The allowed values of its arguments. */
  words: readonly string[]
}

/** Lists every command with its subcommands, options and argument values, for the completion scripts. */
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
