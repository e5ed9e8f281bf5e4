import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

/** A TCP proxy on the loopback that breaks connections as networks do. */
export interface FaultProxy {
  readonly port: number
  /** Delay of each chunk, in milliseconds. */
  latencyMs: number
  /** While set, new connections are accepted and never answered, and open ones fall silent for good. */
  isBlackHole: boolean
  /** Connections that are open now carry nothing any more and report no error; their target keeps its end open. New ones work. */
  silence(): void
  /** Resets the connections that are open now. */
  reset(): void
  close(): Promise<void>
}

interface Pair {
  client: Socket
  target: Socket
  isSilent: boolean
}

/** Starts a proxy before `target`, on `port` or any free port. */
export async function startFaultProxy(target: NetConnectOpts, port = 0): Promise<FaultProxy> {
  const pairs = new Set<Pair>()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const pair: Pair = { client, target: connect(target), isSilent: proxy.isBlackHole }
    pairs.add(pair)
    const isCut = () => pair.isSilent || proxy.isBlackHole
    for (const [from, to] of [
      [client, pair.target],
      [pair.target, client],
    ] as const) {
      // TCP keeps the order: what comes after a delayed chunk waits for it.
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
    latencyMs: 0,
    isBlackHole: false,
    silence() {
      for (const pair of pairs) pair.isSilent = true
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

/** Where a database URL leads, on TCP or a unix socket; and the URL that leads through a proxy. */
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
