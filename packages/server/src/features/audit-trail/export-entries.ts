import { createHash, type Hash } from 'node:crypto'
import type { AuditFilters } from '@mandate/contract/audit/audit'
import type { AuditExportEnd } from '@mandate/contract/audit/audit-chain'
import { exportEndText } from '@mandate/proofs/audit-chain'
import { findFaultsOutsideChain } from '../../audit/find-faults-outside-chain.ts'
import { BrokenChain, sealTenant } from '../../audit/seal-pending.ts'
import { countPending } from '../../audit/seal-queries.ts'
import { findChainEnds } from '../../audit/verify-queries.ts'
import { pendingCounted } from '../../audit/verify-trail.ts'
import type { Member } from '../../authz/actor.ts'
import { hasAuthority } from '../../authz/can.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Sql } from '../../db/database.ts'
import type { SigningKey } from '../../security/signing-key.ts'
import {
  findCheckpointBefore,
  findCheckpointFrom,
  findLinks,
  findOlderFirst,
  findSealedRange,
  isWholeTrail,
  type LinkRow,
} from './queries.ts'

const pageSize = 500

/**
 * Exports all entries that the actor sees and that pass the filters, oldest first, as chunks of NDJSON. Callers who may verify
 * the trail get a continuous part of the chain with its seals and signed checkpoints. Other callers get only the entries, and the
 * export does not show how many entries were left out. Each page is read from the database only when the client has received the
 * page before. So no database connection waits for a slow client.
 */
export async function* exportEntries(ctx: Ctx<Member>, filters: AuditFilters): AsyncGenerator<string> {
  try {
    yield* hasAuthority(ctx.actor, 'manager') ? exportChain(ctx, filters) : exportPlain(ctx, filters)
  } catch (error) {
    // The HTTP status was already sent, so an error response is no longer possible. The connection is closed instead.
    ctx.services.log.error({ err: error, request_id: ctx.request.id }, 'an export of the audit trail failed')
    throw error
  }
}

async function* exportPlain({ sql, actor }: Ctx<Member>, filters: AuditFilters): AsyncGenerator<string> {
  for (let afterId: string | undefined; ; ) {
    const page = await findOlderFirst(sql, actor, filters, afterId, pageSize)
    if (page.length > 0) yield page.map(({ entry }) => `${entry}\n`).join('')
    if (page.length < pageSize) return
    afterId = page.at(-1)?.id
  }
}

async function* exportChain(ctx: Ctx<Member>, filters: AuditFilters): AsyncGenerator<string> {
  const { sql, actor, services, now } = ctx
  // Does not check the chain. If the chain is broken, it is exported unchanged, and the verification of the export reports the
  // fault.
  await sealTenant(services.db, services, actor.tenantId, now).catch((error) => {
    if (!(error instanceof BrokenChain)) throw error
  })
  const isWhole = isWholeTrail(actor, filters)
  const ends = await findChainEnds(sql)
  const { start, upTo } = isWhole
    ? { start: undefined, upTo: ends.head?.seq ?? 0 }
    : await findPart(sql, actor, filters)
  const shape = createHash('sha256')
  if (start) yield `${start.line}\n`
  const after = start?.seq ?? 0
  for (let reached = after; reached < upTo; ) {
    const page = await findLinks(sql, actor, filters, { after: reached, upTo, limit: pageSize })
    const last = page.at(-1)
    if (!last) break
    yield page.map((link) => linesOf(link, shape)).join('')
    reached = last.seq
  }
  const [pending, faults] = await Promise.all([
    countPending(sql, pendingCounted),
    findFaultsOutsideChain(services.db, actor.tenantId, isWhole),
  ])
  const range = { after, seq: upTo, shape: shape.digest('hex') }
  yield endLine(services.signingKey, {
    tenant_id: actor.tenantId,
    ...range,
    ...ends,
    pending,
    faults,
    exported_at: now,
  })
}

/**
 * Returns the part of the chain with the wanted entries. It begins after a checkpoint or at the start of the chain, and ends at a
 * checkpoint.
 */
async function findPart(sql: Sql, actor: Member, filters: AuditFilters) {
  const range = await findSealedRange(sql, actor, filters)
  if (!range) {
    const last = await findCheckpointBefore(sql, Number.MAX_SAFE_INTEGER)
    return { start: last, upTo: last?.seq ?? 0 }
  }
  const [start, end] = await Promise.all([findCheckpointBefore(sql, range.first), findCheckpointFrom(sql, range.last)])
  return { start, upTo: end?.seq ?? range.last }
}

function linesOf({ seq, entry_hash, line, is_missing, checkpoint }: LinkRow, shape: Hash): string {
  const hashOnly = { seq, entry_hash }
  const isWithheld = line === null && !is_missing
  shape.update(isWithheld ? 'w' : is_missing ? 'm' : 'e')
  const first = line ?? JSON.stringify(isWithheld ? { withheld: hashOnly } : { missing: hashOnly })
  return checkpoint === null ? `${first}\n` : `${first}\n${checkpoint}\n`
}

function endLine({ kid, sign }: SigningKey, said: Omit<AuditExportEnd, 'kid' | 'signature'>): string {
  const end = { ...said, kid, signature: '' }
  return `${JSON.stringify({ end: { ...end, signature: sign(exportEndText(end)) } })}\n`
}
