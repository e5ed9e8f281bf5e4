import { readdir, readFile } from 'node:fs/promises'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import { connectionConfig } from '../connections/connection-config.ts'
import { SessionClient } from '../connections/session-client.ts'
import { keepPartitions } from './partitions.ts'
import { addressKeysMigrations, rewriteAddressKeys } from './rewrite-address-keys.ts'

/** Thrown if the database contains migrations that this version does not know, because a newer version has migrated it. */
export class SchemaNewer extends Error {
  constructor(applied: string, known: string) {
    super(
      `the database has the schema of a newer Mandate: it is at ${applied}, and this version knows migrations up to ${known}. ` +
        'Start the newer version, or restore a backup that was made before the upgrade (docs/operations.md, "Upgrading")',
    )
  }
}

/**
 * Code that runs after the statements of a migration, in the migration's transaction. The key is the file name of the
 * migration.
 */
export type MigrationSteps = Readonly<Record<string, (owner: pg.Client) => Promise<unknown>>>

const ownSteps: MigrationSteps = Object.fromEntries(addressKeysMigrations.map((file) => [file, rewriteAddressKeys]))
const ownFolder = new URL('../migrations/', import.meta.url)
// The number of the advisory lock that makes instances migrate one after another.
const lockId = 7_263_428_301

/**
 * Migrates the schema to the newest version, with the role that owns the tables. Each file runs once, in its own transaction. A
 * lock makes instances that start at the same time migrate one after another. Returns the names of the files that ran.
 * @throws SchemaNewer, before any change, if the database has migrations that this version does not know
 * @throws if a migration uses rows that row-level security hides from it, which happens if the owner is not a superuser
 */
export async function migrate(
  ownerUrl: string,
  { upTo, folder = ownFolder, steps = {} }: { upTo?: string; folder?: URL; steps?: MigrationSteps } = {},
): Promise<string[]> {
  const client = new SessionClient(connectionConfig(ownerUrl))
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lockId])
    for (const createRole of createRoles) await client.query(createRole)
    await client.query(
      'create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null)',
    )
    const done = new Set((await client.query('select name from schema_migrations')).rows.map((row) => row.name))
    const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
    refuseNewerSchema([...done], files)
    const due = files.filter((file) => !done.has(file) && (upTo === undefined || file <= upTo))
    for (const file of due) await apply(client, file, new URL(file, folder), steps[file] ?? ownSteps[file])
    // A server that was down for more than a week has no partition for today.
    if (upTo === undefined) await keepPartitions(client, new Date())
    await migrateJobQueue(ownerUrl)
    return due
  } finally {
    await client.end()
  }
}

/** The library of the job queue migrates the queue's tables itself. */
async function migrateJobQueue(ownerUrl: string): Promise<void> {
  const pgPool = new pg.Pool({ ...connectionConfig(ownerUrl), Client: SessionClient } as unknown as pg.PoolConfig)
  // A lost connection also fails the migration, which reports it.
  pgPool.on('error', () => {})
  pgPool.on('connect', (client) => client.on('error', () => {}))
  try {
    await runMigrations({ pgPool })
  } finally {
    await pgPool.end()
  }
}

/** Throws SchemaNewer if a migration was applied that this version does not know. */
function refuseNewerSchema(done: readonly string[], known: readonly string[]): void {
  const unknown = done.filter((file) => !known.includes(file)).sort()
  const newest = unknown.at(-1)
  if (newest) throw new SchemaNewer(newest, known.at(-1) ?? 'none')
}

async function apply(client: pg.Client, file: string, place: URL, step?: MigrationSteps[string]): Promise<void> {
  const text = await readFile(place, 'utf8')
  await client.query('begin')
  try {
    // Row-level security also applies to the owner of the tables. A migration would then copy no rows and report no error. With
    // `row_security = off`, PostgreSQL reports an error instead.
    await client.query('set local row_security = off')
    await client.query(text)
    await step?.(client)
    await client.query('insert into schema_migrations (name, applied_at) values ($1, now())', [file])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`migration ${file} failed: ${(error as Error).message}`, { cause: error })
  }
}

// Roles belong to the whole PostgreSQL cluster, so the migration of another database may create the same role at the same time.
// The application runs as `mandate_app`. `mandate_search` owns the function that searches for parts of names.
const createRoles = ['mandate_app', 'mandate_search'].map(
  (role) => `do $$ begin
  if not exists (select from pg_roles where rolname = '${role}') then
    create role ${role} nologin;
  elsif pg_has_role(current_user, '${role}', 'member') then
    return;
  end if;
  execute format('grant ${role} to %I', current_user);
exception when duplicate_object or unique_violation then null;
end $$`,
)
