import type { Credential } from '@mandate/sdk/credential'
import { defaultRetry } from '@mandate/sdk/retry'
import { send } from '@mandate/sdk/send'
import { sayRetry } from '../connection/connect.ts'

/** Where requests go. */
export interface Target {
  url: string
  /** Undefined for requests without a credential. */
  credential?: Credential
}

export interface ApiRequest {
  url: URL
  method: string
  headers: Record<string, string>
  body: string | undefined
}

/** Sends one request. Waits as long as it takes, and repeats reads only. */
export async function sendRequest({ credential }: Target, { url, ...request }: ApiRequest): Promise<Response> {
  const transport = { credential, fetch: fetchOnce, retry: defaultRetry, onRetry: sayRetry }
  const repeatable = request.method === 'GET'
  return await send(transport, { ...request, url: url.href, repeatable, timeoutMs: undefined, signal: undefined })
}

/** A redirect is shown and not followed: the credential goes to the control plane only. */
const fetchOnce: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'manual' })
