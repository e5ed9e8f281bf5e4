import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import pg from 'pg'

/** Messages of PostgreSQL to a client: it needs no password; the session is ready. */
const authenticated = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

interface Backend {
  stream: Socket
  /** The client whose transaction runs in this session. */
  client: Socket | undefined
}

/**
 * A pooler in transaction mode: a client has a session of the database only for the time of a transaction. It refuses more than `mostClients`
 * connections. Returns the port and a function that ends it.
 */
export async function startTransactionPooler(url: string, mostClients = 10) {
  const sessions = [new pg.Client(url), new pg.Client(url)]
  await Promise.all(sessions.map((session) => session.connect()))
  const backends = sessions.map((session) => backendOf(session))
  let clients = 0
  const server = createServer((client) => {
    client.on('error', () => {})
    if (++clients > mostClients) return void client.destroy()
    client.once('data', () => {
      client.write(Buffer.concat([authenticated, ready]))
      client.on('data', (data) => {
        // A client ends with the message X, which is not for the session.
        if (data[0] === 0x58) return
        const own = backends.find((one) => one.client === client) ?? backends.find((one) => one.client === undefined)
        if (!own) return void client.destroy()
        own.client = client
        own.stream.write(data)
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.close()
      for (const { stream } of backends) stream.destroy()
    },
  }
}

function backendOf(session: pg.Client): Backend {
  const { stream } = (session as unknown as { connection: { stream: Socket } }).connection
  stream.removeAllListeners()
  stream.on('error', () => {})
  const backend: Backend = { stream, client: undefined }
  let rest = Buffer.alloc(0)
  stream.on('data', (data: Buffer) => {
    backend.client?.write(data)
    rest = Buffer.concat([rest, data])
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      // Ready for a query, outside of a transaction.
      if (rest[0] === 0x5a && rest[5] === 0x49) backend.client = undefined
      rest = rest.subarray(1 + rest.readUInt32BE(1))
    }
  })
  return backend
}
