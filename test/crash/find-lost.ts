import type pg from 'pg'
import type { Acknowledged } from './writers.ts'

/** Finds acknowledged writes that are missing from the database, or that have no audit entry. */
export async function findLost(client: pg.Client, tenantId: string, { agents, versions, decisions }: Acknowledged) {
  const lostAgents = await client.query(
    `select id from unnest($2::uuid[]) id where not exists (select from agents a where a.tenant_id = $1 and a.id = id.id)
       or not exists (select from audit_entries e
         where e.tenant_id = $1 and e.event_type = 'agent.created' and e.resource_id = id.id)`,
    [tenantId, agents],
  )
  const lostVersions = await client.query(
    `select said.* from jsonb_to_recordset($2::jsonb) as said ("policyId" uuid, version int, mark text)
     left join policy_versions v on v.tenant_id = $1 and v.policy_id = said."policyId" and v.version = said.version
     where v.version is null or strpos(v.snapshot::text, '"' || said.mark || '"') = 0
       or not exists (select from audit_entries e where e.tenant_id = $1 and e.resource_id = said."policyId"
         and (e.details ->> 'version')::int = said.version)`,
    [tenantId, JSON.stringify(versions)],
  )
  const lostDecisions = await client.query(
    `select id from unnest($2::uuid[]) id
     where not exists (select from decision_records d where d.tenant_id = $1 and d.decision_id = id.id)`,
    [tenantId, decisions],
  )
  // A call must store all its decisions or none of them.
  const torn = await client.query(
    `select received_at, count(*) from decision_records where tenant_id = $1 group by received_at having count(*) % $2::int <> 0`,
    [tenantId, 20],
  )
  return [...lostAgents.rows, ...lostVersions.rows, ...lostDecisions.rows, ...torn.rows]
}
