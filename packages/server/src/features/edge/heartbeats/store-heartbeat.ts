import type { GroupedOperation } from '../../../concurrency/tenant-groups.ts'
import type { Services } from '../../../services.ts'
import { type NewHeartbeat, type ReportedState, storeHeartbeats } from './heartbeat-queries.ts'

// Limits of a group. They keep its statement short, because the next heartbeats wait for it.
const mostHeartbeats = 200
const mostAgents = 500

const storing: GroupedOperation<NewHeartbeat, ReportedState[]> = {
  choose: chooseHeartbeats,
  run: (db, tenantId, heartbeats) => db.transaction(tenantId, (tx) => storeHeartbeats(tx, heartbeats)),
}

/**
 * Stores a heartbeat, together with others of the tenant that arrive while a statement is in flight. A heartbeat with many agents is stored
 * alone, so that others do not wait for it. Returns the data of the current profile for each reported agent that the credential serves.
 */
export async function storeHeartbeat(
  { db, groups }: Pick<Services, 'db' | 'groups'>,
  tenantId: string,
  heartbeat: NewHeartbeat,
): Promise<ReportedState[]> {
  if (heartbeat.agents.length <= mostAgents) return await groups.run(storing, tenantId, heartbeat)
  const [states = []] = await storing.run(db, tenantId, [heartbeat])
  return states
}

/**
 * Chooses the heartbeats of the next group, in the order in which they arrived. One statement cannot write a row twice. So two heartbeats about
 * the same agent, or from the same edge instance, are put into different groups, and the earlier one is stored first.
 */
export function chooseHeartbeats(waiting: readonly NewHeartbeat[]): NewHeartbeat[] {
  const chosen: NewHeartbeat[] = []
  const taken = new Set<string>()
  let agents = 0
  for (const heartbeat of waiting) {
    agents += heartbeat.agents.length
    if (chosen.length === mostHeartbeats || (agents > mostAgents && chosen.length > 0)) break
    const rows = [`${heartbeat.credentialId} ${heartbeat.instanceId}`, ...heartbeat.agents.map(({ id }) => id)]
    if (!rows.some((row) => taken.has(row))) chosen.push(heartbeat)
    for (const row of rows) taken.add(row)
  }
  return chosen
}
