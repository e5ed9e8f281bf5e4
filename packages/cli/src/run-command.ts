import { CommanderError } from 'commander'
import { explain } from './connection/explain-error.ts'
import { readEnvironment } from './environment.ts'
import { programFor } from './program.ts'

/** Runs one command line. Writes errors to standard error. The exit code is then 1, or 2 for a usage error. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  const program = await programFor(argv[2])
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
    process.exitCode = exitCode === 0 ? 0 : isHook(argv) ? 2 : hasAnswerTwo(argv) ? 1 : exitCode
  }
}

// A coding agent lets a call pass if its hook fails with an exit code other than 2.
const isHook = ([, , ...words]: readonly string[]) => words[0] === 'edge' && words.includes('hook')

// For `policies diff`, exit code 2 only means that something differs. For `try`, it only means that the call is denied.
const hasAnswerTwo = ([, , ...words]: readonly string[]) =>
  words[0] === 'try' || (words[0] === 'policies' && words[1] === 'diff')
