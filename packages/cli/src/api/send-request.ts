import type { Credential } from '@mandate/sdk/credential'
import { defaultRetry } from '@mandate/sdk/retry'
import { send } from '@mandate/sdk/send'
import { noteRetry } from '../connection/connect.ts'

/** The control plane that requests go to. */
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

/** Sends one request, without a timeout. Retries GET requests only. */
export async function sendRequest({ credential }: Target, { url, ...request }: ApiRequest): Promise<Response> {
  const transport = { credential, fetch: fetchOnce, retry: defaultRetry, onRetry: noteRetry }
  const repeatable = request.method === 'GET'
  return await send(transport, { ...request, url: url.href, repeatable, timeoutMs: undefined, signal: undefined })
}

/** Does not follow redirects, so that the credential is sent only to the control plane. */
const fetchOnce: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'manual' })
