import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'

export interface PortSettings {
  host: string
  /** 0 picks a free port. */
  port: number
  /** How a person chooses another port, such as `--port or MANDATE_EDGE_PORT`. */
  setting: string
  maxConnections: number
  server: ServerOptions
}

/** An HTTP server that listens. Requests that arrive before `answerWith` wait for it. */
export interface OpenPort {
  readonly server: Server
  answerWith(answer: RequestListener): void
  close(): void
}

/**
 * Listens before the edge can answer. So an edge whose port is in use ends before its first heartbeat, and the control plane never
 * reports that it runs.
 * @throws an error that names the port and the setting, if the edge cannot listen
 */
export async function openPort({
  host,
  port,
  setting,
  maxConnections,
  server: options,
}: PortSettings): Promise<OpenPort> {
  const { promise: ready, resolve: answerWith } = Promise.withResolvers<RequestListener>()
  const server = createServer(options, (request, response) => void ready.then((answer) => answer(request, response)))
  server.maxConnections = maxConnections
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    throw explain(error, { host, port, setting })
  })
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { server, answerWith, close }
}

function explain(
  error: NodeJS.ErrnoException,
  { host, port, setting }: Pick<PortSettings, 'host' | 'port' | 'setting'>,
) {
  const noAddress = `${host} is not an address of this machine; set MANDATE_EDGE_HOST`
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${port} on ${host} is in use by another process; stop that process, or choose another port with ${setting}`,
    EACCES: `port ${port} on ${host} needs more rights than this process has; choose a port from 1024 with ${setting}`,
    EADDRNOTAVAIL: noAddress,
    ENOTFOUND: noAddress,
  }
  const reason = reasons[error.code ?? '']
  return reason === undefined ? error : new Error(reason, { cause: error })
}
