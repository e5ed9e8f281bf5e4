import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands between an edge and the control plane. It can act as an outage, and counts the batches of decisions that pass. */
export interface DrainProxy {
  url: string
  /** While true, each connection is closed without an answer. */
  isDown: boolean
  /** Batches that the control plane accepted. */
  batches: number
  /** When the first batch after the last outage began, and when the last batch was answered, in ms of `performance.now()`. */
  firstBatchAt: number
  lastBatchAt: number
  stop(): void
}

export async function startDrainProxy(target: string): Promise<DrainProxy> {
  const { hostname, port } = new URL(target)
  const server = createServer((incoming, response) => {
    const { method, url: path, headers } = incoming
    if (proxy.isDown) {
      proxy.firstBatchAt = 0
      proxy.batches = 0
      return void incoming.socket.destroy()
    }
    const isBatch = path?.endsWith('/edge/decisions')
    if (isBatch) proxy.firstBatchAt ||= performance.now()
    const forwarded = request({ hostname, port, method, path, headers }, (answer) => {
      const isAccepted = (answer.statusCode ?? 500) < 300
      answer.on('end', () => {
        if (!isBatch || !isAccepted) return
        proxy.batches++
        proxy.lastBatchAt = performance.now()
      })
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    incoming.pipe(forwarded)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const proxy: DrainProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isDown: false,
    batches: 0,
    firstBatchAt: 0,
    lastBatchAt: 0,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return proxy
}
