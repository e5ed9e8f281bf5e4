import { Command, CommanderError } from 'commander'
import { withSettings } from './command-settings.ts'
import { explain } from './connection/explain-error.ts'
import { addEdgeCommands } from './edge-command.ts'
import { readEnvironment } from './environment.ts'

/** Runs one command line. Writes errors to standard error. The exit code is then 1, or 2 for a usage error. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  const program = await programFor(argv)
  // A program such as `head` may close the output early. For most commands this is not a failure. A hook exits with 2, which
  // tells the coding agent to block the tool call: a hook prints only if it blocks the call.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(isHook(argv) ? 2 : 0)
    throw error
  })
  try {
    await program.parseAsync(argv)
  } catch (error) {
    const { message, hint, exitCode } = explain(error, readEnvironment().apiKey !== undefined)
    // Commander has already printed its own errors.
    if (!(error instanceof CommanderError)) process.stderr.write(`mandate: ${message}${hint ? `\n  ${hint}` : ''}\n`)
    process.exitCode = exitCode === 0 ? 0 : isHook(argv) ? 2 : isDiff(argv) ? 1 : exitCode
  }
}

/**
 * Creates the program. For `mandate edge`, adds only the `edge` commands: a coding agent runs `mandate edge hook` before every
 * tool call and waits for it, so it must start fast.
 */
async function programFor(argv: readonly string[]): Promise<Command> {
  if (argv[2] !== 'edge') return (await import('./program.ts')).createProgram()
  const program = new Command('mandate')
  addEdgeCommands(program)
  return withSettings(program)
}

// A coding agent lets a call pass if its hook fails with an exit code other than 2.
const isHook = ([, , ...words]: readonly string[]) => words[0] === 'edge' && words.includes('hook')

// For `policies diff`, exit code 2 only means that something differs.
const isDiff = ([, , ...words]: readonly string[]) => words[0] === 'policies' && words[1] === 'diff'
