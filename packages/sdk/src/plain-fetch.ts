/** The part of `fetch` that `call` needs. It must refuse redirects with an error, and throw the signal's reason after an abort. */
export type PlainFetch<R extends PlainResponse = PlainResponse> = (url: string, request: PlainRequest) => Promise<R>

export interface PlainRequest {
  method: string
  headers: Record<string, string>
  redirect: 'error'
  body?: string
  /** Also aborts reading the body of the response. */
  signal?: AbortSignal
  credentials?: 'include'
  keepalive?: true
}

export interface PlainResponse {
  readonly ok: boolean
  readonly status: number
  readonly headers: { get(name: string): string | null }
  /** Canceled if nobody reads the response. */
  readonly body: { cancel(): Promise<void> } | null
  text(): Promise<string>
}
