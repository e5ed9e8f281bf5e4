import { request as requestPlain } from 'node:http'
import { type RequestOptions, request as requestSecure } from 'node:https'
import { isIP } from 'node:net'
import { hostOf, mayConnectTo } from '@mandate/edge/outgoing/address'
import { guardedLookup, UnsafeAddress } from '@mandate/edge/outgoing/guarded-lookup'

const longestAnswerBytes = 5 * 1024 * 1024

/**
 * Returns a `fetch` for GET that connects only to allowed addresses. It connects to the same address that it checked, so DNS
 * rebinding has no effect. It follows no redirects and refuses responses over 5 MiB.
 */
export function createGuardedFetch(privateAllowed: boolean, signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const host = hostOf(url)
    if (isIP(host) && !mayConnectTo(host, privateAllowed)) throw new UnsafeAddress()
    const headers = Object.fromEntries(new Headers(init?.headers))
    return await get(url, { headers, signal, agent: false, lookup: guardedLookup(privateAllowed) })
  }
}

function get(url: URL, options: RequestOptions): Promise<Response> {
  const request = url.protocol === 'https:' ? requestSecure : requestPlain
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      const chunks: Buffer[] = []
      let bytes = 0
      answer.on('error', reject)
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > longestAnswerBytes)
          answer.destroy(new Error(`the response is larger than ${longestAnswerBytes} bytes`))
        else chunks.push(chunk)
      })
      answer.on('end', () => {
        const status = answer.statusCode ?? 0
        const headers = Object.entries(answer.headersDistinct).map(([name, values]): [string, string] => [
          name,
          values?.join(', ') ?? '',
        ])
        const empty = status === 204 || status === 205 || status === 304
        try {
          resolve(new Response(empty ? null : Buffer.concat(chunks), { status, headers }))
        } catch (error) {
          reject(error)
        }
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}
