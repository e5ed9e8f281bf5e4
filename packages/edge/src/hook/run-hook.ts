import type { HookConfig } from '../hook-config.ts'
import { callOf, type HookVerdict, verdictOf } from './hook-verdict.ts'
import { postJson } from './post-json.ts'

const timeoutMs = 20_000

/** Reads a tool call from a hook's input and asks the edge whether the call may run. Any error stops the call. Never throws. */
export async function runHook(input: string, namespace: string, config: () => HookConfig): Promise<HookVerdict> {
  const signal = AbortSignal.timeout(timeoutMs)
  let asked = 'The edge'
  try {
    const { url, token, delegation } = config()
    asked = `The edge at ${new URL(url).origin}`
    const call = { ...callOf(input, namespace), ...(delegation !== undefined && { delegation }) }
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const { status, body } = await postJson(new URL('/edge/v1/decide', url), call, { headers, signal })
    if (status >= 200 && status < 300) return verdictOf(body)
    return { passes: false, reason: `The edge answered ${status}: ${String((body as { error?: unknown }).error)}` }
  } catch (error) {
    const { message, code } = (signal.aborted ? signal.reason : error) as NodeJS.ErrnoException
    const why = typeof code === 'string' ? code : message
    const isUnreachable = code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EHOSTUNREACH'
    const remedy = isUnreachable ? '. Start the edge, or name its address with --edge or MANDATE_EDGE_LISTEN' : ''
    return { passes: false, reason: `${asked} gave no decision, so the call is stopped: ${why}${remedy}` }
  }
}
