import { type DeclaredHash, declaredHours, shownDeclarations, shownHashes } from '@mandate/contract/tools'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import { agentIsVisible } from '../../../authz/visibility.ts'
import type { Sql } from '../../../db/database.ts'
import { namedSql, namedStatement } from '../../../db/statements/named-parameters.ts'

/** What an edge or an agent last declared for a tool. An id is null where there is no such edge or agent. */
export type DeclarationRow = {
  hash: string
  pinned: boolean
  reported_at: string
} & ({ edge_id: string; edge_name: string } | { edge_id: null; edge_name: null }) &
  ({ agent_id: string; agent_name: string } | { agent_id: null; agent_name: null })

const lately = `tool_reports r
    join tools t on t.tenant_id = r.tenant_id and t.id = r.tool_id
    left join edges e on e.tenant_id = r.tenant_id and e.id = r.reporter_id
    left join agents a on a.tenant_id = r.tenant_id and a.id = r.declared_for
    where r.tenant_id = :tenantId and r.tool_id = :id and r.reported_at > :now::timestamptz - interval '${declaredHours} hours'
      and (e.id is not null or a.id is not null)`

// The reporter is an edge, or the agent whose key sent the report. Then the declaration is for this agent.
const statement = statementsBySight({}, ({ sight }) =>
  namedSql<DeclarationRow>(`
    select e.id as edge_id, e.name as edge_name, a.id as agent_id, a.name as agent_name, r.hash, r.hash = any (t.pins) as pinned, r.reported_at
    from ${lately} and (a.id is null or ${agentIsVisible(sight, 'a')})
    order by pinned, r.reported_at desc, r.reporter_id, r.declared_for limit ${shownDeclarations}`),
)

/** Returns what edges and agents declared for a tool lately, of the agents that the caller sees. Definitions without a pin come first. */
export function findDeclarations(db: Sql, actor: Member, id: string, now: string): Promise<DeclarationRow[]> {
  return db.all(statement(actor, {}, { id, now }))
}

const hashes = namedStatement(
  namedSql<DeclaredHash>(`
    select r.hash, r.hash = any (t.pins) as pinned, bool_or(e.id is not null) as by_edge
    from ${lately} group by 1, 2 order by pinned, r.hash limit ${shownHashes}`),
)

/** Returns the different definitions that edges and agents declared for a tool lately, also of agents that the caller does not see. */
export function findDeclaredHashes(db: Sql, id: string, now: string): Promise<DeclaredHash[]> {
  return db.all(hashes({ tenantId: db.tenantId, id, now }))
}
