import type { AuditFilters } from '@mandate/contract/audit'
import { BrokenChain, sealTenant } from '../../audit/seal-pending.ts'
import type { Member } from '../../authz/actor.ts'
import { hasAuthority } from '../../authz/can.ts'
import type { Ctx } from '../../http/ctx.ts'
import {
  findCheckpointBefore,
  findCheckpointFrom,
  findLinks,
  findOlderFirst,
  findSealedRange,
  type LinkRow,
} from './queries.ts'

const pageSize = 500

/**
 * Every entry that the actor sees and the filters leave, oldest first, as chunks of NDJSON. For those who may verify the
 * trail it is the part of the chain that holds them, seals and signed checkpoints included; how many entries are left out
 * is nobody else's business. Pages are read as the caller takes them: no connection waits for a slow one.
 */
export async function* exportEntries(ctx: Ctx<Member>, filters: AuditFilters): AsyncGenerator<string> {
  try {
    yield* hasAuthority(ctx.actor, 'manager') ? exportChain(ctx, filters) : exportPlain(ctx, filters)
  } catch (error) {
    // Once lines have gone out there is no answer left to say it in: the connection is cut.
    ctx.services.log.error({ err: error, request_id: ctx.request.id }, 'an export of the audit trail broke off')
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
  // A broken chain is exported as it stands: whoever verifies the export finds out.
  await sealTenant(services.db, services.signingKey, actor.tenantId, now).catch((error) => {
    if (!(error instanceof BrokenChain)) throw error
  })
  const range = await findSealedRange(sql, actor, filters)
  if (!range) {
    // Nothing to show, and that as of which place in the chain.
    const last = await findCheckpointBefore(sql, Number.MAX_SAFE_INTEGER)
    if (last) yield `${last.line}\n`
    return
  }
  const [start, end] = await Promise.all([findCheckpointBefore(sql, range.first), findCheckpointFrom(sql, range.last)])
  if (start) yield `${start.line}\n`
  const upTo = end?.seq ?? range.last
  for (let after = start?.seq ?? 0; after < upTo; ) {
    const page = await findLinks(sql, actor, filters, { after, upTo, limit: pageSize })
    const last = page.at(-1)
    if (!last) break
    yield linesOf(page)
    after = last.seq
  }
  if (end) yield `${end.line}\n`
}

/** Entries a line each; a run of those left out is one line of their hashes. */
function linesOf(page: readonly LinkRow[]): string {
  let lines = ''
  for (let at = 0; at < page.length; ) {
    const { seq, line } = page[at] as LinkRow
    if (line !== null) {
      lines += `${line}\n`
      at++
      continue
    }
    const entry_hashes: string[] = []
    for (; page[at]?.line === null; at++) entry_hashes.push(page[at]?.entry_hash ?? '')
    lines += `${JSON.stringify({ omitted: { from_seq: seq, entry_hashes } })}\n`
  }
  return lines
}
