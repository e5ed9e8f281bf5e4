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
  evidenceOf,
  findChangedElsewhere,
  settleChangedTools,
} from '../../findings/tools/settle-changed-tools.ts'
import { CallableTools } from './callable-tools.ts'
import {
  type AgentGroup,
  type ChangedRow,
  describeEnvironment,
  findChanged,
  findEnvironmentsWithPins,
  findGroups,
  findLiveAgents,
  findLooked,
  findSettled,
  type Looked,
  type Settled,
  storeSettled,
} from './changed-queries.ts'

const atOnce = 500
const mostPolicyBytes = 4 * 1024 * 1024
const lowestId = '00000000-0000-0000-0000-000000000000'
/** Agents for whom nothing changed are looked at again after this time. */
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
    const state = await readState(ctx, id)
    if (state === null) continue
    changed.add(id)
    settled += await settleEnvironment(ctx, id, state, before.get(id))
  }
  settled += await closeElsewhere(ctx, [...changed])
  // If the same change comes again, it is settled at once.
  const ended = [...before.keys()].filter((id) => !changed.has(id))
  for (const id of ended) await ctx.inTenant((tx) => storeSettled(tx, id, null, ctx.now))
  return settled
}

/** What decides which findings the agents of an environment have. */
interface State {
  rows: ChangedRow[]
  /** Digest of what matters to all agents: the changed definitions, and the environment. */
  causes: string
  /** The groups of agents, each with a digest that changes with its policy and its agents. Null if there are too many groups. */
  groups: { group: AgentGroup; digest: string }[] | null
  /** Digests of all groups. */
  digests: string[]
}

/** Reads in a transaction of its own, because the statements would delay the reads that share a connection. Null if no definition has changed. */
function readState(ctx: Ctx<SystemActor>, id: string): Promise<State | null> {
  return read(ctx, async (tx) => {
    const rows = await findChanged(tx, id, ctx.now)
    if (rows.length === 0) return null
    const [environment, { groups, whole }] = await Promise.all([describeEnvironment(tx, id), findGroups(tx, id)])
    const tools = rows.map((row) => [row.id, ...row.labels, ...row.hashes].join(' '))
    const causes = digestOf(environment, ...tools)
    if (groups === null) return { rows, causes, groups, digests: [digestOf('all', whole)] }
    const told = groups.map((group) => ({ group, digest: digestOfGroup(group) }))
    return { rows, causes, groups: told, digests: told.map(({ digest }) => digest) }
  })
}

const digestOf = (...parts: string[]) => hash('sha256', parts.join('\n'), 'hex').slice(0, 32)

const digestOfGroup = ({ policyId, policyVersion, status, lifecycleStatus, frozen, members }: AgentGroup) =>
  digestOf(JSON.stringify([policyId, policyVersion, status, lifecycleStatus, frozen, members]))

/**
 * Settles the findings of the agents for whom something changed since the last run. Of a group whose policy does not ask who calls, one agent
 * shows which finding all of them should have. So the agents that did not change are only counted, with one statement.
 */
async function settleEnvironment(
  ctx: Ctx<SystemActor>,
  id: string,
  { rows, causes, groups, digests }: State,
  before: Settled | undefined,
): Promise<number> {
  const [knownCauses, ...known] = before?.changes.split(' ') ?? []
  const isRecent = before !== undefined && Date.parse(ctx.now) - Date.parse(before.at) < againMs
  const seen = new Set(isRecent && knownCauses === causes ? known : [])
  if (digests.every((digest) => seen.has(digest)) && digests.length === seen.size) return 0
  const callable = new CallableTools(rows)
  let settled = 0
  if (groups === null) {
    settled += await settleAgents(ctx, callable, (after) => read(ctx, (tx) => findLiveAgents(tx, id, after, atOnce)))
  } else {
    const changed = groups.flatMap(({ group, digest }) => (seen.has(digest) ? [] : [group]))
    for (let rest = changed; rest.length > 0; ) {
      const looked = await findWanted(ctx, callable, rest.slice(0, atOnce))
      settled += await settleAgents(ctx, callable, (after) =>
        read(ctx, (tx) => findLooked(tx, id, looked, after, atOnce)),
      )
      rest = rest.slice(looked.length)
    }
  }
  const at = seen.size > 0 && before ? before.at : ctx.now
  await ctx.inTenant((tx) => storeSettled(tx, id, [causes, ...digests].join(' '), at))
  return settled
}

/** Finds which findings the agents of groups should have. Returns at least the first group, and fewer than all if their policies are large. */
async function findWanted(
  ctx: Ctx<SystemActor>,
  callable: CallableTools,
  groups: readonly AgentGroup[],
): Promise<Looked[]> {
  const ids = groups.map(({ id }) => id)
  const { agents } = await read(ctx, (tx) => policiesInForce(tx, ids, mostPolicyBytes))
  const byId = new Map(agents.map((inForce) => [inForce.state.agent_id, inForce]))
  const count = Math.max(ids.indexOf(agents.at(-1)?.state.agent_id ?? '') + 1, 1)
  const looked: Looked[] = []
  for (const { id, policyId, status, lifecycleStatus, frozen } of groups.slice(0, count)) {
    const inForce = byId.get(id)
    const each = inForce === undefined || callable.asksWho(inForce)
    const evidence = each ? null : evidenceOf(await callable.by(inForce))
    looked.push({ policyId, status, lifecycleStatus, frozen, each, evidence })
  }
  return looked
}

const read = <T>(ctx: Ctx<SystemActor>, work: (tx: Tx) => Promise<T>) =>
  ctx.services.db.transaction(ctx.actor.tenantId, work)

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

/** Settles the findings of agents. `next` returns the next ones by id. */
async function settleAgents(
  ctx: Ctx<SystemActor>,
  callable: CallableTools,
  next: (after: string) => Promise<string[]>,
): Promise<number> {
  let [settled, after] = [0, lowestId]
  for (;;) {
    const agentIds = await next(after)
    if (agentIds.length === 0) return settled
    const { agents } = await read(ctx, (tx) => policiesInForce(tx, agentIds, mostPolicyBytes))
    const wanted = new Map<string, readonly ChangedTool[]>()
    for (const inForce of agents) wanted.set(inForce.state.agent_id, await callable.by(inForce))
    if (wanted.size > 0) settled += await ctx.inTenant((tx) => settleChangedTools(tx, ctx, wanted))
    // An agent whose policy was deleted meanwhile is left out, and looked at by a later run.
    after = agents.at(-1)?.state.agent_id ?? (agentIds[0] as string)
  }
}
