import { fileURLToPath } from 'node:url'
import type { ServerConfig } from '../mcp/gateway.ts'

/** The name of the demonstration server in policies. */
export const demoName = 'demo'

/** The servers of an edge with the demonstration server. Its program runs by the Node of the edge, without any variable of the environment. */
export const demoServers: Readonly<Record<string, ServerConfig>> = {
  [demoName]: {
    command: process.execPath,
    args: [fileURLToPath(new URL('demo-server.ts', import.meta.url))],
    env: {},
  },
}
