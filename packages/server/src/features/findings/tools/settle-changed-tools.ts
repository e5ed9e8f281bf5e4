import { isDeepStrictEqual } from 'node:util'
import type { AuditSource } from '../../../audit/record-audit.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { bounded } from '../cases/case-items.ts'
import { findCases } from '../cases/case-queries.ts'
import { lockAgents, storeEvidence } from '../queries.ts'
import { closeFinding, openFinding } from '../record-finding.ts'

const type = 'tool_definition_changed'

/** A definition that is not pinned while others of its tool are. */
export interface ChangedTool {
  tool_id: string
  tool: string
  hash: string
}

/**
 * Opens, renews or closes the finding `tool_definition_changed` on agents, by the changed tools that each of them may call. Locks the rows of
 * agents whose finding differs, in the order of their ids. Returns how many findings were opened or closed.
 */
export async function settleChangedTools(
  tx: Tx,
  by: AuditSource,
  changed: ReadonlyMap<string, readonly ChangedTool[]>,
): Promise<number> {
  const open = new Map((await findOpen(tx, [...changed.keys()])).map(({ agentId, evidence }) => [agentId, evidence]))
  const different = [...changed.keys()].filter(
    (id) => !isDeepStrictEqual(open.get(id) ?? null, evidenceOf(changed.get(id))),
  )
  if (different.length === 0) return 0
  await lockAgents(tx, different)
  let count = 0
  for (const id of different.sort()) count += Number(await settle(tx, by, id, changed.get(id) ?? []))
  return count
}

async function settle(tx: Tx, by: AuditSource, agentId: string, items: readonly ChangedTool[]): Promise<boolean> {
  const agent = await findCases(tx, agentId, type)
  if (!agent) return false
  const evidence = evidenceOf(items)
  const { finding_id: id } = agent
  if (id === null) {
    if (evidence === null) return false
    await openFinding(tx, by, agent, { type, evidence }, 'control_plane')
    return true
  }
  if (evidence === null) {
    await closeFinding(tx, by, agent, { id, type, evidence: agent.evidence }, 'control_plane')
    return true
  }
  await storeEvidence(tx, id, evidence)
  return false
}

/** The evidence of the finding of an agent that may call these changed tools. Null if there are none. */
export const evidenceOf = (items: readonly ChangedTool[] = []) => (items.length === 0 ? null : bounded({}, [...items]))

const openOf = `select agent_id as "agentId", evidence from findings
  where tenant_id = $1 and agent_id = any($2::uuid[]) and type = '${type}' and status = 'open'`

function findOpen(tx: Tx, agentIds: readonly string[]) {
  return tx.all(raw<{ agentId: string; evidence: object }>(openOf, [tx.tenantId, agentIds]))
}

const openElsewhere = `select f.agent_id as id from findings f left join agents a on a.tenant_id = $1 and a.id = f.agent_id
  where f.tenant_id = $1 and f.status = 'open' and f.type = '${type}'
    and (a.environment_id is null or a.environment_id <> all ($2::uuid[]) or a.status = 'archived')
  order by f.agent_id limit $3`

/** Returns agents with an open finding of this type that are archived or not in one of these environments. */
export async function findChangedElsewhere(
  db: Sql,
  environmentIds: readonly string[],
  most: number,
): Promise<string[]> {
  return (await db.all(raw<{ id: string }>(openElsewhere, [db.tenantId, environmentIds, most]))).map(({ id }) => id)
}
