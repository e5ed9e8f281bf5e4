import { type Command, Help, type Option } from 'commander'

/** Gives a program and all its commands the same manners: errors are thrown, and the help marks required options. */
export function withSettings(program: Command): Command {
  // Settings of subcommands are not inherited once they are made.
  for (const command of withSubcommands(program)) {
    command.exitOverride().showHelpAfterError('(--help tells more)').configureHelp({ optionDescription })
  }
  return program
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

/** What the help says of an option; a required option is marked. */
function optionDescription(option: Option): string {
  const description = new Help().optionDescription(option)
  return option.mandatory ? `${description} (required)`.trimStart() : description
}
