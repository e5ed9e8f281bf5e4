import { unwatchFile, watchFile } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import type { McpGateway, ServerConfig } from '../mcp/gateway.ts'

const lookMs = 2000

/**
 * Reads the servers file again after SIGHUP and after a change of the file, and makes the gateway serve these servers. An
 * invalid file changes nothing. `served` are the servers that the gateway began with.
 */
export function reloadOnChange(
  file: string,
  served: Readonly<Record<string, ServerConfig>>,
  read: () => Promise<Readonly<Record<string, ServerConfig>>>,
  gateway: Pick<McpGateway, 'replaceServers'>,
  log: Logger,
): { close(): void } {
  let queue = Promise.resolve()
  const reload = () => {
    queue = queue.then(async () => {
      try {
        const servers = await read()
        // Does not wait until the replaced servers have ended, because later reloads would wait too.
        gateway.replaceServers(servers)
        log.info({ file, servers: Object.keys(servers) }, 'the list of MCP servers was reloaded')
      } catch (error) {
        log.error({ file, reason: (error as Error).message }, 'cannot reload the MCP servers; the current servers stay')
      }
    })
  }
  process.on('SIGHUP', reload)
  watchFile(file, { interval: lookMs }, reload)
  // The file may have changed while the edge started.
  queue = queue.then(async () => {
    const now = await read().catch(() => null)
    if (!isDeepStrictEqual(now, served)) reload()
  })
  return {
    close() {
      process.off('SIGHUP', reload)
      unwatchFile(file, reload)
    },
  }
}
