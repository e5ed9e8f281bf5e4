import type { TestServer } from './start-test-server.ts'

/** Inserts many active agents, governed and approved, and analyzes the table. */
export async function fillAgents(
  server: TestServer,
  tenantId: string,
  {
    count,
    environmentId = null,
    policyId = null,
  }: { count: number; environmentId?: string | null; policyId?: string | null },
): Promise<void> {
  await server.owner.query(
    `insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, environment_id, policy_id,
       created_at, updated_at)
     select $1::uuid, ('01900000-' || lpad(to_hex(n / 65536), 4, '0') || '-7' || right($1::text, 3) || '-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
       'agent ' || n, 'active', 'runtime', 'governed', 'approved', $3, $4, now(), now() from generate_series(1, $2) n`,
    [tenantId, count, environmentId, policyId],
  )
  await server.owner.query('analyze agents')
}
