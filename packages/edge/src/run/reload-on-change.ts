import { unwatchFile, watchFile } from 'node:fs'
import type { Logger } from 'pino'
import type { McpGateway, ServerConfig } from '../mcp/gateway.ts'

const lookMs = 2000

/**
 * Reads the servers file again after SIGHUP and after a change of the file, and makes the gateway serve these servers. An
 * invalid file changes nothing.
 */
export function reloadOnChange(
  file: string,
  read: () => Promise<Readonly<Record<string, ServerConfig>>>,
  gateway: Pick<McpGateway, 'replaceServers'>,
  log: Logger,
): { close(): void } {
  let queue = Promise.resolve()
  const reload = () => {
    queue = queue.then(async () => {
      try {
        const servers = await read()
        await gateway.replaceServers(servers)
        log.info({ file, servers: Object.keys(servers) }, 'the list of MCP servers was reloaded')
      } catch (error) {
        log.error({ file, reason: (error as Error).message }, 'cannot reload the MCP servers; the current servers stay')
      }
    })
  }
  process.on('SIGHUP', reload)
  watchFile(file, { interval: lookMs }, reload)
  return {
    close() {
      process.off('SIGHUP', reload)
      unwatchFile(file, reload)
    },
  }
}
