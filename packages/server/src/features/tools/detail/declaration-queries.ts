import { type DeclaredHash, declaredHours, shownDeclarations, shownHashes } from '@mandate/contract/tools'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import { agentIsVisible } from '../../../authz/visibility.ts'
import type { Sql } from '../../../db/database.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'

/** What an edge or an agent last declared for a tool. An id is null where there is no such edge or agent. */
export type DeclarationRow = {
  hash: string
  pinned: boolean
  reported_at: string
} & ({ edge_id: string; edge_name: string } | { edge_id: null; edge_name: null }) &
  ({ agent_id: string; agent_name: string } | { agent_id: null; agent_name: null })

/** A row of both lists. `by_edge` is null for a declaration. A definition has no edge, no agent and no time. */
type Row = (DeclarationRow & { by_edge: null }) | DeclaredHash

// The reporter is an edge, or the agent whose key sent the report. Then the declaration is for this agent. A tool may have very many reports, so
// one statement reads them once for both lists.
const statement = statementsBySight({}, ({ sight }) =>
  namedSql<Row>(`
    with lately as materialized (
      select e.id as edge_id, e.name as edge_name, a.id as agent_id, a.name as agent_name, r.hash, r.hash = any (t.pins) as pinned,
        r.reported_at, r.reporter_id, r.declared_for, a.id is null or ${agentIsVisible(sight, 'a')} as is_seen
      from tool_reports r
        join tools t on t.tenant_id = r.tenant_id and t.id = r.tool_id
        left join edges e on e.tenant_id = r.tenant_id and e.id = r.reporter_id
        left join agents a on a.tenant_id = r.tenant_id and a.id = r.declared_for
      where r.tenant_id = :tenantId and r.tool_id = :id and r.reported_at > :now::timestamptz - interval '${declaredHours} hours'
        and (e.id is not null or a.id is not null))
    select edge_id, edge_name, agent_id, agent_name, hash, pinned, reported_at, by_edge from (
      select edge_id, edge_name, agent_id, agent_name, hash, pinned, reported_at, null::boolean as by_edge,
        row_number() over (order by pinned, reported_at desc, reporter_id, declared_for) as place
      from (select * from lately where is_seen order by pinned, reported_at desc, reporter_id, declared_for limit ${shownDeclarations}) newest
      union all
      select null, null, null, null, hash, pinned, null, by_edge, row_number() over (order by pinned, hash)
      from (select hash, pinned, bool_or(edge_id is not null) as by_edge from lately group by hash, pinned
        order by pinned, hash limit ${shownHashes}) different) both_lists
    order by place`),
)

export interface Declared {
  /** What edges and agents declared for a tool lately, of the agents that the caller sees. Definitions without a pin come first. */
  declarations: DeclarationRow[]
  /** The different definitions that were declared lately, also for agents that the caller does not see. */
  hashes: DeclaredHash[]
}

/** Returns what was declared for a tool lately, with one statement for both lists. */
export async function findDeclared(db: Sql, actor: Member, id: string, now: string): Promise<Declared> {
  const declarations: DeclarationRow[] = []
  const hashes: DeclaredHash[] = []
  for (const row of await db.all(statement(actor, {}, { id, now }))) {
    if (row.by_edge === null) declarations.push(row)
    else hashes.push({ hash: row.hash, pinned: row.pinned, by_edge: row.by_edge })
  }
  return { declarations, hashes }
}
