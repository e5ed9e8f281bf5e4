import type { HookConfig } from '../hook-config.ts'
import { callOf, type HookVerdict, verdictOf } from './hook-verdict.ts'

const timeoutMs = 20_000

/** Reads a tool call from a hook's input and asks the edge whether the call may run. Any error stops the call. Never throws. */
export async function runHook(input: string, namespace: string, config: () => HookConfig): Promise<HookVerdict> {
  try {
    const { url, token, delegation } = config()
    const response = await fetch(new URL('/edge/v1/decide', url), {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...callOf(input, namespace), ...(delegation !== undefined && { delegation }) }),
    })
    const answer: unknown = await response.json()
    if (response.ok) return verdictOf(answer)
    return {
      passes: false,
      reason: `The edge answered ${response.status}: ${String((answer as { error?: unknown }).error)}`,
    }
  } catch (error) {
    const { message, cause } = error as Error
    const why = (cause as NodeJS.ErrnoException | undefined)?.code ?? message
    return { passes: false, reason: `The edge gave no decision, so the call is stopped: ${why}` }
  }
}
