import { hash } from 'node:crypto'
import type { SystemActor } from '../../../authz/actor.ts'
import { type Ctx, makeCtx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { findTenantIds } from '../../../db/tenants/find-tenant-ids.ts'
import type { Services } from '../../../services.ts'
import { policiesInForce } from '../../edge/profiles/profile-states.ts'
import {
  type ChangedTool,
  findChangedElsewhere,
  settleChangedTools,
} from '../../findings/tools/settle-changed-tools.ts'
import { CallableTools } from './callable-tools.ts'
import {
  type ChangedRow,
  describeCallers,
  findChanged,
  findEnvironmentsWithPins,
  findLiveAgents,
  findSettled,
  storeSettled,
} from './changed-queries.ts'

const atOnce = 500
const mostPolicyBytes = 4 * 1024 * 1024
const lowestId = '00000000-0000-0000-0000-000000000000'
/** While the changed definitions and their possible callers stay the same, agents are looked at again after this time. */
const againMs = 10 * 60_000

/**
 * Opens the finding `tool_definition_changed` on agents that may call a tool whose declared definition is not pinned, and closes it when the
 * cause is gone. A failure in one tenant does not stop the others. Returns how many findings were opened or closed.
 */
export async function sweepChangedTools(services: Services, now = new Date().toISOString()): Promise<number> {
  let [settled, failures] = [0, 0]
  for (const tenantId of await findTenantIds(services.db.global)) {
    const actor: SystemActor = { kind: 'system', tenantId }
    const ctx = makeCtx(services, actor, { id: newId(), ip: '', userAgent: 'mandate jobs' }, { now })
    settled += await sweepTenant(ctx).catch((error) => {
      services.log.warn(
        { err: error, tenant_id: tenantId },
        'could not settle the findings about changed tools of the tenant',
      )
      failures++
      return 0
    })
  }
  if (failures > 0) throw new Error(`could not settle the findings about changed tools of ${failures} tenants`)
  return settled
}

async function sweepTenant(ctx: Ctx<SystemActor>): Promise<number> {
  const changed = new Set<string>()
  const before = new Map((await findSettled(ctx.sql)).map((one) => [one.id, one]))
  let settled = 0
  for (const id of await findEnvironmentsWithPins(ctx.sql)) {
    // A transaction of its own, because the statement would delay the reads that share a connection.
    const { rows, callers } = await read(ctx, async (tx) => {
      const found = await findChanged(tx, id, ctx.now)
      return { rows: found, callers: found.length === 0 ? '' : await describeCallers(tx, id) }
    })
    if (rows.length === 0) continue
    changed.add(id)
    const changes = digestOf(rows, callers)
    const known = before.get(id)
    if (known?.changes === changes && Date.parse(ctx.now) - Date.parse(known.at) < againMs) continue
    settled += await settleEnvironment(ctx, id, rows)
    await ctx.inTenant((tx) => storeSettled(tx, id, changes, ctx.now))
  }
  settled += await closeElsewhere(ctx, [...changed])
  // If the same change comes again, it is settled at once.
  const ended = [...before.keys()].filter((id) => !changed.has(id))
  for (const id of ended) await ctx.inTenant((tx) => storeSettled(tx, id, null, ctx.now))
  return settled
}

const read = <T>(ctx: Ctx<SystemActor>, work: (tx: Tx) => Promise<T>) =>
  ctx.services.db.transaction(ctx.actor.tenantId, work)

function digestOf(rows: readonly ChangedRow[], callers: string): string {
  const tools = rows.map(({ id, labels, hashes }) => [id, ...labels, ...hashes].join(' '))
  return hash('sha256', [callers, ...tools].join('\n'), 'hex')
}

/** Closes findings whose agents are archived, or are in an environment without changed definitions. */
async function closeElsewhere(ctx: Ctx<SystemActor>, environments: readonly string[]): Promise<number> {
  let closed = 0
  for (;;) {
    const agents = await findChangedElsewhere(ctx.sql, environments, atOnce)
    if (agents.length === 0) return closed
    closed += await ctx.inTenant((tx) => settleChangedTools(tx, ctx, new Map(agents.map((id) => [id, []]))))
    if (agents.length < atOnce) return closed
  }
}

async function settleEnvironment(ctx: Ctx<SystemActor>, id: string, rows: readonly ChangedRow[]): Promise<number> {
  const callable = new CallableTools(rows)
  let [settled, after] = [0, lowestId]
  for (;;) {
    const agentIds = await findLiveAgents(ctx.sql, id, after, atOnce)
    if (agentIds.length === 0) return settled
    const { agents } = await read(ctx, (tx) => policiesInForce(tx, agentIds, mostPolicyBytes))
    const wanted = new Map<string, readonly ChangedTool[]>()
    for (const inForce of agents) wanted.set(inForce.state.agent_id, await callable.by(inForce))
    if (wanted.size > 0) settled += await ctx.inTenant((tx) => settleChangedTools(tx, ctx, wanted))
    // An agent whose policy was deleted meanwhile is left out, and looked at by a later run.
    after = agents.at(-1)?.state.agent_id ?? (agentIds[0] as string)
  }
}
