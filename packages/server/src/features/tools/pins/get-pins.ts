import { mostPinnedTools, type Pins } from '@mandate/contract/tools'
import { canonicalJson } from '@mandate/proofs/canonical'
import type { EdgeActor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { openPlace, sealPlace } from '../../../paging/page-tokens.ts'
import { notFound } from '../../../refusal.ts'
import { findChangedTools, findPlace, type PinPlace } from '../inventory-queries.ts'

interface PinsQuery {
  since?: number | undefined
  page_token?: string | undefined
}

/** The tools after a version begin after this id. */
const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** A place in the pages of one reading. */
interface Reading extends PinPlace {
  since: number
}

export const placeOf = (actor: EdgeActor) =>
  actor.kind === 'edge' ? { environmentId: actor.environmentId } : { agentId: actor.agentId }

/**
 * Returns a signed page of the pins, blocks and labels in the environment of the caller.
 * @throws 404 for an agent without an environment; 400 for a page token that this list did not return
 */
export async function getPins(ctx: Ctx<EdgeActor>, { since, page_token: token }: PinsQuery): Promise<Pins> {
  const { actor, services, sql, now } = ctx
  const place = await findPlace(sql, placeOf(actor))
  if (!place) throw notFound('environment')
  const version = place.version ?? 0
  const context = `pins page_token ${actor.tenantId} ${place.id}`
  const from = token === undefined ? start(since ?? 0, version) : openPlace<Reading>(services.vault, context, token)
  const rows = await findChangedTools(sql, place.id, from, mostPinnedTools + 1)
  const shown = rows.slice(0, mostPinnedTools)
  const last = shown.at(-1)
  const next = last && rows.length > shown.length ? { since: from.since, changedIn: last.changedIn, id: last.id } : null
  const page = {
    tenant_id: actor.tenantId,
    environment_id: place.id,
    version,
    since: from.since,
    pinning: place.pinning,
    tools: shown.map(({ tool, blocked, pins, labels }) => ({ tool, blocked, pins, labels })),
    ...(next && { next_page_token: sealPlace(services.vault, context, next) }),
    issued_at: now,
  }
  return { ...page, signature: services.signingKey.sign(canonicalJson(page)) }
}

/** An edge that names a later version than the server has got it from a database that was restored since. It gets everything. */
function start(since: number, version: number): Reading {
  const known = since > version ? 0 : since
  return { since: known, changedIn: known, id: highestId }
}
