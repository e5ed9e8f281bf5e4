import { type Invocation, runAs } from '../invocation/invocation.ts'

/** Runs one command line. Writes errors to standard error. The exit code is then 1, or 2 for a usage error. */
export async function runCommand(invocation: Invocation): Promise<void> {
  await runAs(invocation, () => run(invocation))
}

async function run(invocation: Invocation): Promise<void> {
  const { args, stderr } = invocation
  try {
    const quick = await quickCommand(args)
    if (quick) return await quick()
    const { programFor } = await import('./program.ts')
    await (await programFor(args[0])).parseAsync(args, { from: 'user' })
  } catch (error) {
    const { explain } = await import('../connection/explain-error.ts')
    const { message, hint, exitCode } = explain(error, Boolean(invocation.env.MANDATE_API_KEY))
    if (message !== undefined) stderr.write(`mandate: ${message}${hint ? `\n  ${hint}` : ''}\n`)
    invocation.exitCode = exitCode === 0 ? 0 : isHook(args) ? 2 : hasAnswerTwo(args) ? 1 : exitCode
  }
}

/**
 * Commands that run without commander, because scripts and coding agents run them often. The program with commander has the same commands. It
 * shows their help and reports wrong options.
 */
async function quickCommand(args: readonly string[]): Promise<(() => Promise<void>) | undefined> {
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    const { printVersion } = await import('../server/version.ts')
    return async () => printVersion()
  }
  if (args[0] !== 'edge' || args[1] !== 'hook') return undefined
  const { readHookOptions, runHookCommand } = await import('../edge/hook-command.ts')
  const options = readHookOptions(args.slice(2))
  return options && (() => runHookCommand(options))
}

/** Whether a command line only prints its help or its version, for which it sends no request. */
export function asksForText(args: readonly string[]): boolean {
  // What follows `--` is the command of a tool server, with options of its own.
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  return ['help', '--version', '-V', undefined].includes(own[0]) || own.includes('--help') || own.includes('-h')
}

/** A coding agent lets a call pass if its hook fails with an exit code other than 2. */
export const isHook = (args: readonly string[]) => args[0] === 'edge' && args.includes('hook')

// For `policies diff`, exit code 2 only means that something differs. For `try`, it only means that the call is denied.
const hasAnswerTwo = (args: readonly string[]) => args[0] === 'try' || (args[0] === 'policies' && args[1] === 'diff')
