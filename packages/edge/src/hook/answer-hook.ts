import { GatheredBytes } from '../gathered-bytes.ts'
import type { HookConfig } from '../hook-config.ts'
import { runHook } from './run-hook.ts'

/** The same limit as the edge has for the size of a request. */
const longestInputBytes = 1_048_576
const mostReadBytes = 64 << 20

export interface HookStreams {
  stdin: AsyncIterable<Buffer>
  stdout: NodeJS.WritableStream
  stderr: NodeJS.WritableStream
}

/**
 * Answers the hook of a coding agent: reads the hook's input and asks the edge. If the edge stops the call, writes the reason
 * as JSON to standard output and as text to standard error. Writes nothing if the call passes.
 * @returns whether the call passes
 */
export async function answerHook(namespace: string, config: () => HookConfig, streams: HookStreams): Promise<boolean> {
  const verdict = await readInput(streams.stdin)
    .then((input) => runHook(input, namespace, config))
    .catch((error: Error) => ({ passes: false as const, reason: `The hook failed: ${error.message}` }))
  if (verdict.passes) return true
  const hookSpecificOutput = {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: verdict.reason,
  }
  streams.stdout.write(`${JSON.stringify({ hookSpecificOutput })}\n`)
  streams.stderr.write(`${verdict.reason}\n`)
  return false
}

/** Reads on if the input is too long, because the agent would get a broken pipe in place of the answer. Stops reading after 64 MiB. */
async function readInput(stdin: AsyncIterable<Buffer>): Promise<string> {
  const input = new GatheredBytes()
  let length = 0
  for await (const chunk of stdin) {
    length += chunk.length
    if (length <= longestInputBytes) input.add(chunk)
    else if (length > mostReadBytes) break
  }
  if (length > longestInputBytes) throw new Error("the hook's input is larger than 1 MiB")
  return new TextDecoder().decode(input.take())
}
