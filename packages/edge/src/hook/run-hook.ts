import type { HookConfig } from '../hook-config.ts'
import { callOf, type HookVerdict, verdictOf } from './hook-verdict.ts'
import { postJson } from './post-json.ts'

const timeoutMs = 20_000
const remedy = '. Start the edge, or name its address with --edge or MANDATE_EDGE_LISTEN'

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
    const error = (body as { error?: unknown } | null | undefined)?.error
    const said = typeof error === 'string' ? `: ${error}` : `, so it is no edge${remedy}`
    return { passes: false, reason: `${asked} answered ${status}${said}` }
  } catch (error) {
    const { message, code } = (signal.aborted ? signal.reason : error) as NodeJS.ErrnoException
    const why = typeof code === 'string' ? code : message
    const isUnreachable = signal.aborted || typeof code === 'string'
    const what = isUnreachable ? remedy : ''
    return { passes: false, reason: `${asked} gave no decision, so the call is stopped: ${why}${what}` }
  }
}
