import { readHookConfig } from '../config.ts'
import { GatheredBytes } from '../gathered-bytes.ts'
import { runHook } from './run-hook.ts'

// Exit code 2 makes the coding agent stop the call. With any other failure code the coding agent would let the call pass.
const stopped = 2
/** The same limit as the edge has for the size of a request. */
const longestInputBytes = 1_048_576

/**
 * Answers the hook of a coding agent: reads the hook's input and asks the edge. If the edge stops the call, writes the reason
 * as JSON to standard output and as text to standard error, and exits with 2. Writes nothing if the call passes.
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
    if (input.length + chunk.length > longestInputBytes) throw new Error("the hook's input is larger than 1 MiB")
    input.add(chunk)
  }
  return new TextDecoder().decode(input.take())
}
