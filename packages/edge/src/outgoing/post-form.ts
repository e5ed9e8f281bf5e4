import { request as requestPlain } from 'node:http'
import { type RequestOptions, request as requestSecure } from 'node:https'
import { isIP } from 'node:net'
import { hostOf, mayConnectTo } from './address.ts'
import { guardedLookup, UnsafeAddress } from './guarded-lookup.ts'
import { agentFor } from './proxies.ts'

export interface PostedForm {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly form: URLSearchParams
  /** Longest answer in bytes. */
  readonly maxBytes: number
  readonly signal: AbortSignal
  /**
   * Whether the address may be in a private network. If absent, every address is allowed, because the operator of the edge has configured
   * it.
   */
  readonly isPrivateAllowed?: boolean | undefined
}

/** Thrown for an answer that is not used: a redirect, or one that is too long. */
export class AnswerRefused extends Error {}

/**
 * Posts a form and returns the status and the text of the answer. With `isPrivateAllowed`, connects to the same address that it checked, so
 * DNS rebinding has no effect. Does not follow redirects.
 * @throws UnsafeAddress, AnswerRefused, or the error of the connection
 */
export function postForm(posted: PostedForm): Promise<{ status: number; text: string }> {
  const { url: text, headers, form, maxBytes, signal, isPrivateAllowed } = posted
  const url = new URL(text)
  const host = hostOf(url)
  if (isPrivateAllowed !== undefined && isIP(host) && !mayConnectTo(host, isPrivateAllowed))
    return Promise.reject(new UnsafeAddress())
  const body = form.toString()
  const options: RequestOptions = {
    method: 'POST',
    signal,
    // A guarded request uses no proxy, because a proxy resolves the name itself, and nobody checks the address that it finds.
    agent: isPrivateAllowed === undefined ? agentFor(url) : false,
    headers: {
      ...headers,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': Buffer.byteLength(body),
    },
    ...(isPrivateAllowed !== undefined && { lookup: guardedLookup(isPrivateAllowed) }),
  }
  const start = url.protocol === 'https:' ? requestSecure : requestPlain
  return new Promise((resolve, reject) => {
    const sent = start(url, options, (answer) => {
      const { statusCode: status = 0 } = answer
      answer.on('error', reject)
      if (status >= 300 && status < 400) {
        reject(new AnswerRefused('the server redirects, and the edge does not follow redirects'))
        answer.destroy()
        return
      }
      const chunks: Buffer[] = []
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxBytes) {
          reject(new AnswerRefused(`the answer has more than ${maxBytes} bytes`))
          answer.destroy()
        } else chunks.push(chunk)
      })
      answer.on('end', () => resolve({ status, text: Buffer.concat(chunks).toString('utf8') }))
      answer.on('close', () => reject(new Error('the connection was closed before the answer was complete')))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
