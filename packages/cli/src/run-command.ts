import { CommanderError } from 'commander'
import { explain } from './connection/explain-error.ts'
import { readEnvironment } from './environment.ts'
import { type Invocation, runAs } from './invocation.ts'
import { programFor } from './program.ts'

/** Runs one command line. Writes errors to standard error. The exit code is then 1, or 2 for a usage error. */
export async function runCommand(invocation: Invocation): Promise<void> {
  await runAs(invocation, () => run(invocation))
}

async function run(invocation: Invocation): Promise<void> {
  const { args, stderr } = invocation
  const program = await programFor(args[0])
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    const { message, hint, exitCode } = explain(error, readEnvironment().apiKey !== undefined)
    // Commander has already printed its own errors.
    if (!(error instanceof CommanderError)) stderr.write(`mandate: ${message}${hint ? `\n  ${hint}` : ''}\n`)
    invocation.exitCode = exitCode === 0 ? 0 : isHook(args) ? 2 : hasAnswerTwo(args) ? 1 : exitCode
  }
}

/** A coding agent lets a call pass if its hook fails with an exit code other than 2. */
export const isHook = (args: readonly string[]) => args[0] === 'edge' && args.includes('hook')

// For `policies diff`, exit code 2 only means that something differs. For `try`, it only means that the call is denied.
const hasAnswerTwo = (args: readonly string[]) => args[0] === 'try' || (args[0] === 'policies' && args[1] === 'diff')
