import { Command } from 'commander'
import { version } from '../server/version.ts'
import { commandGroups } from './command-groups.ts'
import { withSettings } from './command-settings.ts'

/** Builds the program with all commands. */
export async function createProgram(): Promise<Command> {
  const program = newProgram()
  const groups = await Promise.all(commandGroups.map(({ load }) => load()))
  for (const addCommands of groups) addCommands(program)
  const { addCompletionCommand } = await import('../completion/completion-command.ts')
  const { addHelpCommand } = await import('./help-command.ts')
  addCompletionCommand(program)
  addHelpCommand(program)
  return withSettings(program)
}

/**
 * Builds the program for a command line. `word` is the first word of it. If `word` is the name of a command, only the commands of its group are
 * added. Otherwise all commands are added, for example for `--help` and for an unknown word.
 */
export async function programFor(word: string | undefined): Promise<Command> {
  const group = commandGroups.find(({ names }) => word !== undefined && names.includes(word))
  if (!group) return await createProgram()
  const program = newProgram()
  const addCommands = await group.load()
  addCommands(program)
  return withSettings(program)
}

function newProgram(): Command {
  return new Command('mandate')
    .description(
      'Governance control plane for AI agents. The server’s settings are environment variables; see docs/operations.md.',
    )
    .version(version)
    .enablePositionalOptions()
}
