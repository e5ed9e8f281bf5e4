import { expect, it } from 'vitest'
import { useEmptyDatabase } from '../../testing/use-empty-database.ts'
import { newId } from '../ids/new-id.ts'
import { migrate } from './migrate.ts'

const { url, owner } = useEmptyDatabase()

it('an edge gets the time of the newest heartbeat of its instances', async () => {
  const [tenantId, environmentId, heard, never] = [newId(), newId(), newId(), newId()]
  await migrate(url, { upTo: '0040' })
  await owner.query(
    `insert into tenants (id, name, plan, governance_gate, created_at) values ($1, 'old', 'free', 'off', now())`,
    [tenantId],
  )
  await owner.query(
    `insert into environments (tenant_id, id, name, slug, is_production, created_at) values ($1, $2, 'E', 'e', false, now())`,
    [tenantId, environmentId],
  )
  for (const id of [heard, never]) {
    await owner.query(
      `insert into edges (tenant_id, id, name, environment_id, key_hash, key_prefix, created_at)
       values ($1, $2, 'edge', $3, $4, 'ek_00000', now())`,
      [tenantId, id, environmentId, Buffer.from(id)],
    )
  }
  for (const [instance, at] of [
    ['a', '2026-01-01T00:00:00.000Z'],
    ['b', '2026-01-02T00:00:00.000Z'],
  ]) {
    await owner.query(
      'insert into edge_instances (tenant_id, credential_id, instance_id, seq, seen_at) values ($1, $2, $3, 1, $4)',
      [tenantId, heard, instance, at],
    )
  }
  expect(await migrate(url)).toContain('0041-edge-heartbeats.sql')
  const { rows } = await owner.query('select id, last_heartbeat_at from edges order by id')
  expect(rows).toEqual([
    { id: heard, last_heartbeat_at: new Date('2026-01-02T00:00:00.000Z') },
    { id: never, last_heartbeat_at: null },
  ])
})
