import { realpath } from 'node:fs/promises'
import { connectionUrls, readCredentials } from './credentials.ts'
import { layoutOf } from './layout.ts'
import { findLivePostmaster } from './postmaster.ts'

/**
 * Returns the connection strings of the embedded database that runs on `dataDir`. Used by commands that run beside the server.
 * Returns null if no database runs there. Never starts one.
 */
export async function connectEmbedded(dataDir: string): Promise<{ ownerUrl: string; appUrl: string } | null> {
  const real = await realpath(dataDir).catch(() => null)
  if (real === null) return null
  const layout = layoutOf(real)
  const [server, credentials] = [await findLivePostmaster(layout), await readCredentials(layout)]
  return server?.ready && credentials ? connectionUrls(credentials, server.socketDir) : null
}
