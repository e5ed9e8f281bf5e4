import { readdir, readFile } from 'node:fs/promises'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'

/** The database has migrations that this version does not know, because a newer version has run on it. */
export class SchemaNewer extends Error {
  constructor(applied: string, known: string) {
    super(
      `the database has the schema of a newer Mandate: it is at ${applied}, and this version knows migrations up to ${known}. ` +
        'Start the newer version, or restore a backup that was made before the upgrade (docs/operations.md, "Upgrading")',
    )
  }
}

/** Code that runs in the transaction of a migration, after its statements. The key is the file name. */
export type MigrationSteps = Readonly<Record<string, (owner: pg.Client) => Promise<unknown>>>

const ownFolder = new URL('./migrations/', import.meta.url)
// A fixed number for the lock that makes instances migrate one after another.
const lockId = 7_263_428_301

/**
 * Migrates the schema to the newest version as the owning role. Each file runs once, in its own transaction. A lock makes instances that
 * start together migrate one after another. Returns the names of the files that it ran. Throws SchemaNewer, before any change, if the
 * database has migrations that this version does not know. Throws if a file reads or writes rows that row-level security hides from an
 * owner that is not a superuser.
 */
export async function migrate(
  ownerUrl: string,
  { upTo, folder = ownFolder, steps = {} }: { upTo?: string; folder?: URL; steps?: MigrationSteps } = {},
): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl, options: '-c TimeZone=UTC' })
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
    for (const file of due) await apply(client, file, new URL(file, folder), steps[file])
    // The job queue has its own migrations.
    await runMigrations({ connectionString: ownerUrl })
    return due
  } finally {
    await client.end()
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
    // Row-level security is forced on the owner too. With it on, a migration would copy no rows and report no error. With `off`,
    // PostgreSQL fails instead.
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

// Roles belong to the cluster, so the migration of another database may create one at the same time. The application runs as
// `mandate_app`. `mandate_search` owns the function that searches for parts of names.
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
