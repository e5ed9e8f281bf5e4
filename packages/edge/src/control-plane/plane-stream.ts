import { connectionFault } from '../http-address.ts'
import { ControlPlaneAway, ControlPlaneRefused, QuietTime, retryAfterMsOf } from './control-plane.ts'

/** Opens streams of the control plane with the credential of the edge. Does not follow redirects. */
export interface PlaneStreams {
  /**
   * Resolves when the control plane has accepted the request. The chunks end with the response.
   * @throws ControlPlaneAway, ControlPlaneRefused, or the reason of the signal if it is aborted
   */
  open(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
}

const openTimeoutMs = 10_000

/**
 * @param quiet the time in which nothing is sent. A 429 to a stream does not begin it: the control plane limits the open streams
 * of a key, and heartbeats must go on
 */
export function planeStreamsAt(base: string, key: string, quiet = new QuietTime()): PlaneStreams {
  return {
    async open(path, signal) {
      quiet.check()
      const limit = new AbortController()
      const timer = setTimeout(() => limit.abort(), openTimeoutMs)
      try {
        const response = await fetch(`${base}${path}`, {
          redirect: 'error',
          headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
          signal: AbortSignal.any([signal, limit.signal]),
        })
        const { status, headers, body } = response
        const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false
        if (status === 200 && isStream && body !== null) return body
        await body?.cancel()
        const said = `the control plane answered ${status} to a stream`
        if (status >= 400 && status < 500 && status !== 408 && status !== 429)
          throw new ControlPlaneRefused(status, said)
        const reason = status === 200 ? 'the answer is not a stream of events' : said
        throw new ControlPlaneAway(reason, retryAfterMsOf(response), status)
      } catch (error) {
        if (error instanceof ControlPlaneRefused || error instanceof ControlPlaneAway) throw error
        signal.throwIfAborted()
        throw new ControlPlaneAway(
          limit.signal.aborted ? `no stream within ${openTimeoutMs} ms` : connectionFault(error),
        )
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
