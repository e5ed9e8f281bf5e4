/** A response with its parsed body. */
export interface ApiAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of a body
  body: any
  headers: Headers
}

export interface ApiClient {
  readonly credential: string | undefined
  get(path: string, headers?: Record<string, string>): Promise<ApiAnswer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>
  delete(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>
}

/** Calls the API under `/api/v1` with a bearer credential. A path that starts with `//` is relative to the root. */
export function apiClient(url: string, credential?: string): ApiClient {
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(url + (path.startsWith('//') ? path.slice(1) : `/api/v1${path}`), {
      method,
      redirect: 'manual',
      headers: {
        ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    // A stream of events has no end.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    if (isStream) await response.body?.cancel()
    const text = isStream ? '' : await response.text()
    return { status: response.status, body: parsed(text), headers: response.headers }
  }
  return {
    credential,
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, body, headers),
    put: (path, body, headers) => call('PUT', path, body, headers),
    patch: (path, body, headers) => call('PATCH', path, body, headers),
    delete: (path, body, headers) => call('DELETE', path, body, headers),
  }
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
