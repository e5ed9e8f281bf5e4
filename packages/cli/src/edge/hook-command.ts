import { edgeState } from '../invocation/environment.ts'
import { invocation } from '../invocation/invocation.ts'

export interface HookOptions {
  edge?: string
  namespace?: string
  agents?: string
  state?: string
}

// The first two are options of every `edge` command. The hook does not use them.
const names = ['url', 'key-file', 'edge', 'namespace', 'agents', 'state']

/** Reads the options of `edge hook`. Undefined if commander must read them, for example `--help` or a mistake. */
export function readHookOptions(words: readonly string[]): HookOptions | undefined {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  try {
    return process.getBuiltinModule('node:util').parseArgs({ args: [...words], options }).values
  } catch {
    return undefined
  }
}

/** Answers the hook of a coding agent. Exit code 2 stops the call: with any other failure code the coding agent lets the call pass. */
export async function runHookCommand({ edge, namespace = 'agent', agents, state }: HookOptions): Promise<void> {
  const { answerHook } = await import('@mandate/edge/hook/answer-hook')
  const { readHookConfig } = await import('@mandate/edge/hook-config')
  const given = { MANDATE_EDGE_LISTEN: edge, MANDATE_EDGE_AGENTS: agents, MANDATE_EDGE_STATE: edgeState(state) }
  const passes = await answerHook(namespace, () => readHookConfig(given, invocation().env), invocation())
  if (!passes) invocation().exitCode = 2
}
