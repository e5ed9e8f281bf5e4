import { readHookConfig } from '../config.ts'
import { GatheredBytes } from '../gathered-bytes.ts'
import { runHook } from './run-hook.ts'

// Exit code 2 stops the call. With any other failure the call would pass.
const stopped = 2
/** The limit of the edge for a request. */
const longestInputBytes = 1_048_576

/**
 * Answers the hook of a coding agent: reads its input and asks the edge. If the call is stopped, writes the reason as JSON to
 * standard output and as text to standard error, and exits with 2. Writes nothing if the call passes.
 */
export async function answerHook(namespace: string, given: Record<string, string | undefined>): Promise<void> {
  const verdict = await readInput(process.stdin)
    .then((input) => runHook(input, namespace, () => readHookConfig(given)))
    .catch((error: Error) => ({ passes: false as const, reason: `The hook failed: ${error.message}` }))
  if (verdict.passes) return
  const hookSpecificOutput = {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: verdict.reason,
  }
  process.stdout.write(`${JSON.stringify({ hookSpecificOutput })}\n`)
  process.stderr.write(`${verdict.reason}\n`)
  process.exitCode = stopped
}

async function readInput(stdin: AsyncIterable<Buffer>): Promise<string> {
  const input = new GatheredBytes()
  for await (const chunk of stdin) {
    if (input.length + chunk.length > longestInputBytes) throw new Error('its input is over 1 MiB')
    input.add(chunk)
  }
  return new TextDecoder().decode(input.take())
}
