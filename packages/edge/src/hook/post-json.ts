import type { RequestOptions } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface JsonResponse {
  status: number
  /** Undefined if the response is not JSON. */
  body: unknown
}

/**
 * Sends JSON and reads the JSON of the response. Follows no redirect.
 * @throws if no response arrives
 */
export async function postJson(url: URL, body: unknown, options: RequestOptions): Promise<JsonResponse> {
  // `fetch` and an import of node:http take longer to load than the rest of the hook, because both load a whole HTTP client.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  return await new Promise((resolve, reject) => {
    const sent = request(url, { ...options, method: 'POST', agent: false }, (response) => {
      buffer(response)
        .then((bytes) => ({ status: response.statusCode ?? 0, body: parsed(bytes.toString()) }))
        .then(resolve, reject)
    })
    sent.once('error', reject)
    sent.end(JSON.stringify(body))
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
