import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import type { Layout } from './layout.ts'
import { socketPort } from './socket-folder.ts'
import { UnusableDataFolder } from './unusable-data-folder.ts'

export const ownerRole = 'mandate_owner'
export const appRole = 'mandate_app'
export const databaseName = 'mandate'

/**
 * Passwords of the owner role, which owns all tables, and of the server's role. Peer authentication is not possible: if Mandate
 * runs as root, PostgreSQL runs as another user.
 */
export type Credentials = { ownerPassword: string; appPassword: string }

/** Reads the stored passwords. Returns null if none are stored. */
export async function readCredentials(layout: Layout): Promise<Credentials | null> {
  const text = await readFile(layout.credentials, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  try {
    const { ownerPassword, appPassword } = JSON.parse(text)
    if (typeof ownerPassword === 'string' && typeof appPassword === 'string') return { ownerPassword, appPassword }
  } catch {}
  throw new UnusableDataFolder(
    `the file ${layout.credentials}, which has the passwords of the database, is damaged. Delete it: the next start sets new passwords`,
  )
}

/** Generates random passwords. Does not store them. */
export function newCredentials(): Credentials {
  const password = () => randomBytes(32).toString('base64url')
  return { ownerPassword: password(), appPassword: password() }
}

/** Stores the passwords in a file with mode 0600. */
export async function saveCredentials(layout: Layout, credentials: Credentials): Promise<void> {
  const draft = `${layout.credentials}.new`
  await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  await rename(draft, layout.credentials)
}

/** Returns the connection strings of the owner role and the server's role. They use the unix socket in `socketDir`. */
export function connectionUrls(credentials: Credentials, socketDir: string): { ownerUrl: string; appUrl: string } {
  // Without `sslmode`, the driver would use PGSSLMODE.
  const place = `${encodeURIComponent(socketDir)}:${socketPort}/${databaseName}?sslmode=disable`
  return {
    ownerUrl: `postgresql://${ownerRole}:${credentials.ownerPassword}@${place}`,
    appUrl: `postgresql://${appRole}:${credentials.appPassword}@${place}`,
  }
}
