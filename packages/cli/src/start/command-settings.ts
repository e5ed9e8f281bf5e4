import { type Command, Help, type Option, type OutputConfiguration } from 'commander'
import { invocation, type Output } from '../invocation/invocation.ts'

const widthOf = ({ isTTY = false, columns = 80 }: Output) => (isTTY ? columns : 80)
const outputs: OutputConfiguration = {
  writeOut: (text) => void invocation().stdout.write(text),
  writeErr: (text) => void invocation().stderr.write(text),
  getOutHelpWidth: () => widthOf(invocation().stdout),
  getErrHelpWidth: () => widthOf(invocation().stderr),
}

/** Makes a program and all its commands throw errors instead of ending the process. Marks required options in the help. */
export function withSettings(program: Command): Command {
  // Commander copies settings to a subcommand only when it creates the subcommand, so this loop sets them on every command.
  for (const command of withSubcommands(program)) {
    command
      .exitOverride()
      .configureOutput(outputs)
      .showHelpAfterError('(add --help for more)')
      .configureHelp({ optionDescription })
  }
  return program
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

/** The help text of an option, with a mark if the option is required. */
function optionDescription(option: Option): string {
  const description = new Help().optionDescription(option)
  return option.mandatory ? `${description} (required)`.trimStart() : description
}
