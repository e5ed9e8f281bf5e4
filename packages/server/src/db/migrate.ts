import { readdir, readFile } from 'node:fs/promises'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'

/** The database has migrations that this version does not know: a newer version has run on it. */
export class SchemaNewer extends Error {
  constructor(applied: string, known: string) {
    super(
      `the database has the schema of a newer Mandate: it is at ${applied}, and this version knows migrations up to ${known}. ` +
        'Start the newer version, or restore a backup that was made before the upgrade (docs/operations.md, "Upgrading")',
    )
  }
}

/** Work of the server in the transaction of a migration, after its statements, by the name of the file. */
export type MigrationSteps = Readonly<Record<string, (owner: pg.Client) => Promise<unknown>>>

const ownFolder = new URL('./migrations/', import.meta.url)
// Any fixed number: instances that start together take turns.
const lockId = 7_263_428_301

/**
 * Brings the schema to the newest version as the owning role. Forward only; each file runs once, in its own transaction,
 * under a lock that makes instances starting together take turns. Answers the files it ran.
 * @throws SchemaNewer before anything is changed, if the database has migrations that this version does not know
 * @throws when a file reads or writes rows that row-level security would hide from an owner that is no superuser
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
    // The job queue keeps its schema itself.
    await runMigrations({ connectionString: ownerUrl })
    return due
  } finally {
    await client.end()
  }
}

/** @throws SchemaNewer */
function refuseNewerSchema(done: readonly string[], known: readonly string[]): void {
  const unknown = done.filter((file) => !known.includes(file)).sort()
  const newest = unknown.at(-1)
  if (newest) throw new SchemaNewer(newest, known.at(-1) ?? 'none')
}

async function apply(client: pg.Client, file: string, place: URL, step?: MigrationSteps[string]): Promise<void> {
  const text = await readFile(place, 'utf8')
  await client.query('begin')
  try {
    // Forced on the owner too, the second wall would show no tenant's rows, and a copy of them would be silently empty.
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

// Roles are the cluster's, not the database's: another database's migration may have made one a moment ago. The application acts
// as `mandate_app`; `mandate_search` owns the function by which it looks up parts of names.
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
