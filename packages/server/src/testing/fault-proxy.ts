import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

/** A TCP proxy on a loopback address. It can break connections in the ways in which networks break them. */
export interface FaultProxy {
  readonly port: number
  /** Number of connections that were opened so far. */
  readonly opened: number
  /** A connection that carries no data for this long is closed, in milliseconds. 0 for no limit. Applies to connections opened later. */
  idleMs: number
  /** Delay of each chunk, in milliseconds. */
  latencyMs: number
  /**
   * While true, the proxy accepts connections but forwards no data. A connection that was opened or used during this time
   * hangs, even after the value is false again.
   */
  isBlackHole: boolean
  /**
   * Stops forwarding data on all open connections, without an error. The database does not notice this, and keeps its end open.
   * New connections work normally.
   */
  silence(): void
  /** Ends the open connections towards the client only, in the middle of what they carry. The target's end stays open. */
  halfClose(): void
  /** Resets the open connections. */
  reset(): void
  close(): Promise<void>
}

interface Pair {
  client: Socket
  target: Socket
  isSilent: boolean
}

/** Starts a proxy for `target` on `port`, or on any free port. */
export async function startFaultProxy(target: NetConnectOpts, port = 0): Promise<FaultProxy> {
  const pairs = new Set<Pair>()
  const counted = { opened: 0 }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const pair: Pair = { client, target: connect(target), isSilent: proxy.isBlackHole }
    pairs.add(pair)
    counted.opened++
    if (proxy.idleMs > 0)
      client.setTimeout(proxy.idleMs, () => {
        client.destroy()
        pair.target.destroy()
      })
    const isCut = () => pair.isSilent || proxy.isBlackHole
    for (const [from, to] of [
      [client, pair.target],
      [pair.target, client],
    ] as const) {
      // TCP delivers chunks in order, so a chunk must wait for the delayed chunks before it.
      const waiting: (() => void)[] = []
      from.on('data', (chunk) => {
        if (isCut()) {
          pair.isSilent = true
          return
        }
        const forward = () => void (!isCut() && !to.destroyed && to.write(chunk))
        if (proxy.latencyMs === 0 && waiting.length === 0) return forward()
        waiting.push(forward)
        setTimeout(() => waiting.shift()?.(), proxy.latencyMs)
      })
      from.on('error', () => {})
      from.on('close', () => {
        if (isCut()) return
        to.destroy()
        pairs.delete(pair)
      })
      from.on('end', () => void (!isCut() && to.end()))
    }
  })
  const proxy: FaultProxy = {
    port: 0,
    get opened() {
      return counted.opened
    },
    idleMs: 0,
    latencyMs: 0,
    isBlackHole: false,
    silence() {
      for (const pair of pairs) pair.isSilent = true
    },
    halfClose() {
      for (const pair of pairs) {
        pair.isSilent = true
        pair.client.end()
      }
    },
    reset() {
      for (const { client, target: other } of pairs) {
        client.resetAndDestroy()
        other.destroy()
      }
    },
    close() {
      for (const { client, target: other } of pairs) {
        client.destroy()
        other.destroy()
      }
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return Object.assign(proxy, { port: (server.address() as { port: number }).port })
}

/**
 * Returns two values for a database URL. `target` is the host and port of the database, or its Unix socket. `urlVia` is a
 * function that returns the URL of the same database behind a proxy on the given port.
 */
export function throughProxy(databaseUrl: string) {
  const url = new URL(databaseUrl)
  const host = decodeURIComponent(url.hostname)
  const port = Number(url.port || 5432)
  const target: NetConnectOpts = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  const urlVia = (proxyPort: number) => {
    const { username, password, pathname } = url
    return `postgresql://${username}:${password}@127.0.0.1:${proxyPort}${pathname}`
  }
  return { target, urlVia }
}
