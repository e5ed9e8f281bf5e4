import { readHookConfig } from '../config.ts'
import { GatheredBytes } from '../gathered-bytes.ts'
import { runHook } from './run-hook.ts'

// Of a hook's exit codes 2 stops the call; any other failure would let it pass.
const stopped = 2
/** As much as an edge takes. */
const longestInputBytes = 1_048_576

/**
 * Answers a coding agent's hook: reads its input, and where the call is stopped says why, as JSON on standard output and as
 * text on standard error, and ends with 2. Says nothing where it passes.
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
