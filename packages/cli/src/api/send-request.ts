import { defaultRetry } from '@mandate/sdk/retry'
import { send } from '@mandate/sdk/send'
import { type Connection, sayRetry } from '../connection/connect.ts'

export interface ApiRequest {
  url: URL
  method: string
  headers: Record<string, string>
  body: string | undefined
}

/** Sends one request with the credential of the other commands. Waits as long as it takes, and repeats reads only. */
export async function sendRequest({ credential }: Connection, { url, ...request }: ApiRequest): Promise<Response> {
  const transport = { credential, fetch: fetchOnce, retry: defaultRetry, onRetry: sayRetry }
  const repeatable = request.method === 'GET'
  return await send(transport, { ...request, url: url.href, repeatable, timeoutMs: undefined, signal: undefined })
}

/** A redirect is shown and not followed: the credential goes to the control plane only. */
const fetchOnce: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'manual' })
