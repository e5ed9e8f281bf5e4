import { beforeAll, expect, it } from 'vitest'
import { useEmptyDatabase } from '../../testing/use-empty-database.ts'
import { newId } from '../ids/new-id.ts'
import { migrate } from './migrate.ts'

const { url, owner } = useEmptyDatabase()
const [tenantId, policyId, reviewId, userId] = [newId(), newId(), newId(), newId()]
const [approved, drifting, silent] = [newId(), newId(), newId()]
const reviewedAt = '2026-01-02T03:04:05.678Z'
const openedAt = '2026-02-03T04:05:06.789Z'

beforeAll(async () => {
  await migrate(url, { upTo: '0035-session-use.sql' })
  await owner.query(
    `insert into tenants (id, name, plan, governance_gate, created_at) values ($1, 'old', 'free', 'off', now())`,
    [tenantId],
  )
  await owner.query(
    `insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, approved_policy_id,
       approved_version, approved_hash, created_at, updated_at)
     select $1, id, 'Über ' || n, 'active', 'runtime', 'governed', 'approved', approved, case when approved is not null then 2 end,
       case when approved is not null then 'a' end, now(), now()
     from unnest($2::uuid[], $3::uuid[]) with ordinality v (id, approved, n)`,
    [tenantId, [approved, drifting, silent], [policyId, policyId, null]],
  )
  await owner.query(
    `insert into reviews (tenant_id, id, agent_id, kind, status, assigned_role, opened_at, resolved_by, resolved_at)
     select $1, id, $2, 'attestation', status, 'manager', $3, $4, $3::timestamptz - days * interval '1 day'
     from unnest($5::uuid[], array['attested', 'approved', 'rejected'], array[0, 1, -1]) v (id, status, days)`,
    [tenantId, approved, reviewedAt, userId, [reviewId, newId(), newId()]],
  )
  await owner.query(
    `insert into agent_runtime (tenant_id, agent_id, last_heartbeat_at, running_policy_id, running_version, running_hash, reported_at)
     select $1, id, '2026-03-04T05:16:07Z', $3, 2, hash, now() from unnest($2::uuid[], array['a', 'b']) v (id, hash)`,
    [tenantId, [approved, drifting], policyId],
  )
  await owner.query(
    `insert into findings (tenant_id, id, agent_id, type, severity, status, evidence, remediation, opened_at)
     select $1, gen_random_uuid(), $2, type, severity, status, '{}', '', $3::timestamptz - days * interval '1 day'
     from unnest(array['coverage_gap', 'evidence_stale', 'unapproved_running', 'policy_drift_unapproved'],
       array['medium', 'medium', 'low', 'high'], array['open', 'open', 'open', 'closed'], array[0, 1, -1, 0])
       v (type, severity, status, days)`,
    [tenantId, drifting, openedAt],
  )
  await migrate(url)
})

const agent = async (id: string) => {
  const { rows } = await owner.query(
    `select drift_state, heard, attention::text, name_key, ('{' || wire_fields || '}')::json -> 'approved_policy' as approved_policy
     from agents where id = $1`,
    [id],
  )
  return rows[0]
}

it('an approval from before the migration has the last review that set it', async () => {
  expect((await agent(approved)).approved_policy).toEqual({
    id: policyId,
    version: 2,
    content_hash: 'a',
    approved_by: userId,
    approved_at: reviewedAt,
    review_id: reviewId,
  })
  const unknown = { approved_by: null, approved_at: null, review_id: null }
  expect((await agent(drifting)).approved_policy).toMatchObject(unknown)
  expect((await agent(silent)).approved_policy).toBeNull()
})

it('agents have the drift, the heartbeats and the open findings from before the migration', async () => {
  const none = '9000000000000000'
  expect(await agent(approved)).toMatchObject({
    drift_state: 'false',
    heard: true,
    attention: none,
    name_key: 'über 1',
  })
  expect(await agent(silent)).toMatchObject({ drift_state: 'unknown', heard: false, attention: none })
  const medium = String(2e15 + 999_999_999_999_999 - Date.parse(openedAt))
  expect(await agent(drifting)).toMatchObject({ drift_state: 'true', heard: true, attention: medium })
})

it('a heartbeat is in the ten minutes that contain it', async () => {
  const { rows } = await owner.query(
    'select distinct heartbeat_slot, running_since, running_edge_id from agent_runtime where tenant_id = $1',
    [tenantId],
  )
  expect(rows).toEqual([
    { heartbeat_slot: new Date('2026-03-04T05:10:00Z'), running_since: null, running_edge_id: null },
  ])
})
