import { type EndedDelegations, endedPurpose } from '@mandate/contract/delegations'
import { canonicalJson } from '@mandate/proofs/canonical'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { notFound } from '../../refusal.ts'
import { servedBy } from '../edge/reach/served.ts'
import { findEnded, findList } from './list-queries.ts'

/**
 * Returns the signed list of the ended delegations in the environment of the caller.
 * @throws 404 for an agent without an environment
 */
export async function getEndedDelegations(ctx: Ctx<EdgeActor>, since = 0): Promise<EndedDelegations> {
  const { actor, services, sql, now } = ctx
  const list = await findList(sql, servedBy(actor))
  if (!list) throw notFound('environment')
  const version = list.version ?? 0
  // An edge that names a later version got it from a database that was restored since. It gets everything.
  const known = since > version ? 0 : since
  const document = {
    purpose: endedPurpose,
    tenant_id: actor.tenantId,
    environment_id: list.id,
    version,
    since: known,
    ended: await findEnded(sql, list.id, { since: known, version }, now),
    issued_at: now,
  } as const
  return { ...document, signature: services.signingKey.sign(canonicalJson(document)) }
}
