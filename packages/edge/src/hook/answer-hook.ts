import { GatheredBytes } from '../gathered-bytes.ts'
import type { HookConfig } from '../hook-config.ts'
import { runHook } from './run-hook.ts'

/** The edge refuses larger calls than its limit. This is the largest limit that it can have. */
const mostInputBytes = 64 << 20

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

async function readInput(stdin: AsyncIterable<Buffer>): Promise<string> {
  const input = new GatheredBytes()
  for await (const chunk of stdin) {
    if (input.length + chunk.length > mostInputBytes) throw new Error("the hook's input is larger than 64 MiB")
    input.add(chunk)
  }
  return new TextDecoder().decode(input.take())
}
