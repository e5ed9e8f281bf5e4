import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { queryOnce, withDatabase } from '../../testing/database-urls.ts'
import { Database } from '../database.ts'
import { newId } from '../ids/new-id.ts'
import { migrate } from './migrate.ts'
import { findGapsInSecondWall } from './second-wall.ts'

const administratorUrl = inject('ownerUrl')
let name: string
/** Connects as a role that owns the database and is not a superuser, as on a managed PostgreSQL. */
let ownerUrl: string
/** Connects as a superuser, to which row-level security does not apply. */
let administrator: pg.Client

beforeEach(async () => {
  name = `test_${randomBytes(8).toString('hex')}`
  await queryOnce(administratorUrl, `create role ${name} login password '${name}'`)
  await queryOnce(administratorUrl, `grant mandate_app, mandate_search to ${name}`)
  await queryOnce(administratorUrl, `create database ${name} owner ${name}`)
  const url = new URL(withDatabase(administratorUrl, name))
  administrator = new pg.Client({ connectionString: url.href })
  await administrator.connect()
  url.username = name
  url.password = name
  ownerUrl = url.href
})
afterEach(async () => {
  await administrator.end()
  await queryOnce(administratorUrl, `drop database ${name} with (force)`)
  await queryOnce(administratorUrl, `drop role ${name}`)
})

/** Inserts a tenant with an agent and two windows of execution stats, in the first version of the tables. */
async function plantEvidence(): Promise<{ tenantId: string; agentId: string }> {
  const [tenantId, agentId] = [newId(), newId()]
  await administrator.query(
    `insert into tenants (id, name, plan, governance_gate, created_at) values ($1, 'Engines', 'free', 'alert', now())`,
    [tenantId],
  )
  await administrator.query(
    `insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, created_at, updated_at)
     values ($1, $2, 'clerk', 'active', 'runtime', 'governed', 'approved', now(), now())`,
    [tenantId, agentId],
  )
  await administrator.query(
    `insert into execution_stats (tenant_id, agent_id, window_start, window_end, actions_seen, actions_mediated,
       unmediated_seen, reported_at)
     select $1, $2, now() - interval '1 hour' * n, now() - interval '1 hour' * (n - 1), n, n, 0, now()
     from generate_series(1, 2) n`,
    [tenantId, agentId],
  )
  return { tenantId, agentId }
}

describe('migrating as an owner that is not a superuser', () => {
  it('from an older version migrates the rows of every tenant and keeps row-level security complete', async () => {
    await migrate(ownerUrl, { upTo: '0004-platforms.sql' })
    const planted = [await plantEvidence(), await plantEvidence()]
    await migrate(ownerUrl)
    const { rows } = await administrator.query(
      'select tenant_id, agent_id, actions_seen, shows from agent_evidence order by tenant_id',
    )
    expect(rows).toEqual(
      planted.map(({ tenantId, agentId }) => ({
        tenant_id: tenantId,
        agent_id: agentId,
        actions_seen: '1',
        shows: 'observed',
      })),
    )
    const db = new Database({ url: ownerUrl })
    expect(await findGapsInSecondWall(db.global)).toEqual([])
    await db.close()
  })

  it('refuses a migration that would see no tenant’s rows, and stores nothing of it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mandate-migrations-'))
    const things = `create table things (tenant_id uuid primary key);
      alter table things enable row level security;
      alter table things force row level security;
      create policy own_tenant on things using (false)`
    await writeFile(join(folder, '0001-things.sql'), things)
    await writeFile(join(folder, '0002-copy.sql'), 'create table copies as select tenant_id from things')
    const migrated = migrate(ownerUrl, { folder: pathToFileURL(`${folder}/`) })
    await expect(migrated).rejects.toThrow('0002-copy.sql failed: query would be affected by row-level security')
    const { rows } = await administrator.query(
      `select to_regclass('copies') as copies, array(select name from schema_migrations) as applied`,
    )
    expect(rows).toEqual([{ copies: null, applied: ['0001-things.sql'] }])
    await rm(folder, { recursive: true })
  })
})
