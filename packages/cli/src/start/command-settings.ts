import {
  type Argument,
  type Command,
  Help,
  InvalidArgumentError,
  type Option,
  type OutputConfiguration,
} from 'commander'
import { didYouMean } from '../find/did-you-mean.ts'
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
    for (const one of [...command.options, ...command.registeredArguments]) if (one.argChoices) suggestChoice(one)
  }
  return program
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

/** Makes the error of a value that is not one of the choices name the closest choice. */
function suggestChoice(one: Option | Argument): void {
  const { parseArg: parse, argChoices: choices = [] } = one
  one.argParser((value: string, previous: unknown) => {
    try {
      return parse?.(value, previous as never)
    } catch (error) {
      const suggestion = error instanceof InvalidArgumentError && didYouMean(value, choices)
      throw suggestion ? new InvalidArgumentError(`${error.message}\n(Did${suggestion.slice(3)})`) : error
    }
  })
}

/** The help text of an option, with a mark if the option is required. */
function optionDescription(option: Option): string {
  const description = new Help().optionDescription(option)
  return option.mandatory ? `${description} (required)`.trimStart() : description
}
