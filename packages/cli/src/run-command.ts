import { Command, CommanderError } from 'commander'
import { withSettings } from './command-settings.ts'
import { explain } from './connection/explain-error.ts'
import { addEdgeCommands } from './edge-command.ts'
import { readEnvironment } from './environment.ts'

/** Runs one command line. An error is written to standard error; the exit code is then 1, or 2 for a wrong command line. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  const program = await programFor(argv)
  // A reader that has seen enough, such as `head`, is no failure. A hook writes only of calls that it stops.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(isHook(argv) ? 2 : 0)
    throw error
  })
  try {
    await program.parseAsync(argv)
  } catch (error) {
    const { message, hint, exitCode } = explain(error, readEnvironment().apiKey !== undefined)
    // Commander has already said what was wrong with the command line.
    if (!(error instanceof CommanderError)) process.stderr.write(`mandate: ${message}${hint ? `\n  ${hint}` : ''}\n`)
    process.exitCode = exitCode === 0 ? 0 : isHook(argv) ? 2 : isDiff(argv) ? 1 : exitCode
  }
}

/** A coding agent waits for the hook at each of its calls, so `edge` does not load the other commands. */
async function programFor(argv: readonly string[]): Promise<Command> {
  if (argv[2] !== 'edge') return (await import('./program.ts')).createProgram()
  const program = new Command('mandate')
  addEdgeCommands(program)
  return withSettings(program)
}

// A coding agent lets a call pass when its hook fails with any other code than 2.
const isHook = ([, , ...words]: readonly string[]) => words[0] === 'edge' && words.includes('hook')

// 2 says that something differs, and nothing else.
const isDiff = ([, , ...words]: readonly string[]) => words[0] === 'policies' && words[1] === 'diff'
