import type { DelegationEnd } from '@mandate/contract/delegations'
import type { Tx } from '../../db/database.ts'
import { raw } from '../../db/statements/statement.ts'

/** Which delegations end. Everything below them ends too. */
export type Ending =
  /** One delegation, which `userId` revokes. */
  | { by: 'id'; id: string; userId: string }
  /** Those that an agent holds. */
  | { by: 'agent'; id: string }
  /** Those that act for a user who was removed, may no longer delegate, or no longer sees the first agent of the chain. */
  | { by: 'subject'; id: string }
  /** Those that act for a user, and those that the user made. */
  | { by: 'user'; id: string }

const isActive = (d: string) => `${d}.ended_at is null and ${d}.expires_at > $3::timestamptz`

const seesAgent = `exists (select from users u where u.tenant_id = $1 and u.id = d.subject_user_id and u.status = 'active'
    and not u.academy_only and not u.read_only and u.role <> 'viewer' and (u.role = 'owner' or u.access_scope = 'all'
      or exists (select from agent_grants g where g.tenant_id = $1 and g.user_id = u.id and g.agent_id = d.agent_id)))`

const conditions: Record<Ending['by'], string> = {
  id: 'd.id = $2',
  agent: 'd.agent_id = $2',
  // An agent chooses to whom it delegates on, so only the first agent must be one that the user sees.
  subject: `d.subject_user_id = $2 and d.parent_id is null and not ${seesAgent}`,
  user: '(d.subject_user_id = $2 or d.created_by = $2) and d.parent_id is null',
}

const environmentsText = (by: Ending['by']) => `select distinct d.environment_id as id from delegations d
  where d.tenant_id = $1 and ${conditions[by]} and ${isActive('d')} order by 1`

/** Returns the environments of the delegations that would end. */
export async function findEndingEnvironments(tx: Tx, { by, id }: Ending, now: string): Promise<string[]> {
  const rows = await tx.all(raw<{ id: string }>(environmentsText(by), [tx.tenantId, id, now]))
  return rows.map((row) => row.id)
}

const raise = `update delegation_lists set version = version + 1 where tenant_id = $1 and environment_id = any($2::uuid[])
  returning environment_id as "environmentId", version`

/** Raises the version of locked lists. */
export function raiseVersions(tx: Tx, environmentIds: readonly string[]) {
  return tx.all(raw<{ environmentId: string; version: number }>(raise, [tx.tenantId, environmentIds]))
}

const endText = (by: Ending['by']) => `
  with named as materialized (
    select d.id, d.root_id from delegations d
    where d.tenant_id = $1 and d.environment_id = any($4::uuid[]) and ${conditions[by]} and ${isActive('d')}
  ), below as (
    update delegations b set ended_at = $3, ended_because = $5, ended_by = $6,
      ended_in = case when b.id = n.id then l.version end
    from named n, delegation_lists l
    where b.tenant_id = $1 and b.root_id = n.root_id and (b.id = n.id or n.id = any(b.ancestors)) and ${isActive('b')}
      and l.tenant_id = $1 and l.environment_id = b.environment_id
    returning b.id, b.ended_in, b.agent_id, b.environment_id, b.subject_user_id, b.chain
  )
  select id, agent_id, environment_id, subject_user_id, chain, count(*) over () as ended from below where ended_in is not null order by id`

export interface Ended {
  id: string
  agent_id: string
  environment_id: string
  subject_user_id: string
  chain: { name: string }[]
}

/**
 * Ends delegations and everything below them, with one statement. The lists of the environments are locked, and have their new versions.
 * Returns the delegations that `ending` names.
 */
export function endNamed(
  tx: Tx,
  { by, id }: Ending,
  {
    environmentIds,
    because,
    userId,
    now,
  }: { environmentIds: readonly string[]; because: DelegationEnd; userId: string | null; now: string },
): Promise<Ended[]> {
  return tx.all(raw<Ended>(endText(by), [tx.tenantId, id, now, environmentIds, because, userId]))
}
