import type { Freeze } from '@mandate/contract/freezes'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Include } from '../../caller/may-part.ts'
import type { Sql } from '../../db/database.ts'
import { notFound } from '../../refusal.ts'
import { quietAt } from '../edge/reach/quiet.ts'
import { type FreezeRow, findFreeze, findFreezes } from './freeze-queries.ts'
import { seesWhole } from './freeze-visibility.ts'
import { edgesInList, edgesOf } from './reach.ts'
import { freezeMay } from './rules.ts'

interface FreezeListQuery {
  active?: boolean | undefined
  include?: Include
  limit: number
  offset: number
}

/** Returns the freezes and drills that the caller sees, active freezes first, then the newest. */
export async function listFreezes(ctx: Ctx<Member>, { active, include, limit, offset }: FreezeListQuery) {
  const { data, total } = await inSnapshot(ctx, async (sql) => {
    const { freezes, total } = await findFreezes(sql, ctx.actor, { active, limit, offset })
    const open = freezes.filter((freeze) => freeze.is_open).length
    const edges = (freeze: FreezeRow) => edgesInList(sql, ctx.actor, freeze, quietAt(ctx), open)
    return { data: await Promise.all(freezes.map(async (one) => toJson(ctx, one, await edges(one)))), total }
  })
  return { data: await freezeMay.addToAll(ctx, include, data), total, limit, offset }
}

/** @throws 404 for a freeze that the caller does not see */
export async function getFreeze(ctx: Ctx<Member>, id: string, include?: Include): Promise<Freeze> {
  const freeze = await inSnapshot(ctx, async (sql) => freezeJson(sql, ctx, await requireFreeze(sql, ctx.actor, id)))
  return await freezeMay.addTo(ctx, include, freeze)
}

/** Counts of instances may take longer than other reads, so they do not run on a connection that all reads share. */
export function inSnapshot<T>({ services, actor }: Ctx<Member>, work: (sql: Sql) => Promise<T>): Promise<T> {
  return services.db.readSnapshot(actor.tenantId, work)
}

/** @throws 404 for a freeze that the actor does not see */
export async function requireFreeze(db: Sql, actor: Member, id: string): Promise<FreezeRow> {
  return foundFreeze(await findFreeze(db, actor, id))
}

/** @throws 404 for undefined */
export function foundFreeze(freeze: FreezeRow | undefined): FreezeRow {
  if (!freeze) throw notFound('freeze')
  return freeze
}

/** Returns a freeze as the caller may see it. */
export async function freezeJson(db: Sql, ctx: Ctx<Member>, freeze: FreezeRow): Promise<Freeze> {
  return toJson(ctx, freeze, await edgesOf(db, ctx.actor, freeze, quietAt(ctx)))
}

function toJson(
  { actor }: Ctx<Member>,
  freeze: FreezeRow,
  confirmed: Pick<Freeze, 'edges' | 'confirmed_all_at'>,
): Freeze {
  const { scope, target_id, is_active: active } = freeze
  const { id, name, reason, drill, created_by, created_at, lifted_by, lifted_at, lift_reason, audit_entry_id } = freeze
  const isWhole = seesWhole(actor, freeze)
  return {
    id,
    scope,
    agent_id: scope === 'agent' ? target_id : null,
    environment_id: scope === 'environment' ? target_id : null,
    name,
    reason,
    drill,
    active,
    agents: isWhole ? freeze.agents : null,
    approvals_ended: isWhole ? freeze.approvals_ended : null,
    created_by,
    created_at,
    lifted_by,
    lifted_at,
    lift_reason,
    ...confirmed,
    audit_entry_id,
  }
}
