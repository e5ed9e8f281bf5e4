import { builtinPattern } from '@mandate/content/builtin/catalogue'
import {
  type ContentPattern,
  type ContentPatternUpdate,
  maxContentPatternBytes,
  maxContentPatterns,
  type NewContentPattern,
} from '@mandate/contract/content'
import { canonicalJson } from '@mandate/proofs/canonical'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids/new-id.ts'
import { conflict, notFound, throwIfRefused } from '../../refusal.ts'
import { findBoundNames } from './binding-queries.ts'
import { checkedPattern } from './checked-pattern.ts'
import { definitionOf, heldPattern, patternAnswer } from './pattern-answer.ts'
import { lockPatterns } from './pattern-lock.ts'
import {
  deletePatternRow,
  findPatternById,
  findPatterns,
  insertPattern,
  type PatternRow,
  updatePatternRow,
} from './pattern-queries.ts'
import { builtinRefusal, patternChangeRefusal } from './rules.ts'
import { saveSetsOf } from './save-sets.ts'

/**
 * Creates a pattern. Bindings that name its group get a new version.
 * @throws 403, 400 for an invalid pattern, 409 if the tenant has too many patterns
 */
export async function createPattern(ctx: Ctx<Member>, sent: NewContentPattern): Promise<ContentPattern> {
  throwIfRefused(patternChangeRefusal(ctx.actor))
  const row: PatternRow = { id: newId(), ...checkedPattern(null, sent), created_at: ctx.now }
  return await ctx.inTenant(async (tx) => {
    await lockPatterns(tx)
    const others = await findPatterns(tx)
    if (others.length >= maxContentPatterns) {
      throw conflict(`an organization has at most ${maxContentPatterns} content patterns`)
    }
    refuseTooLarge([...others, row])
    await insertPattern(tx, row)
    await record(tx, ctx, 'content_pattern.created', row)
    await saveSetsOf(tx, ctx, row.id, [row.group])
    return patternAnswer(row)
  })
}

/**
 * Changes a pattern. Every set of bindings that holds it before or after the change gets a new version. A change of nothing saves nothing.
 * @throws 403, 404, 400 for an invalid pattern, 409 for a built-in pattern
 */
export async function updatePattern(ctx: Ctx<Member>, id: string, sent: ContentPatternUpdate): Promise<ContentPattern> {
  throwIfRefused(patternChangeRefusal(ctx.actor))
  const builtin = builtinPattern(id)
  if (builtin) checkedPattern({ ...builtin, words: null }, sent)
  return await ctx.inTenant(async (tx) => {
    const before = await lockPattern(tx, ctx.actor, id)
    const row: PatternRow = { ...before, ...checkedPattern(before, sent) }
    if (canonicalJson(row) === canonicalJson(before)) return patternAnswer(before)
    // Patterns that are too large already may become smaller.
    if (bytesOf(row) > bytesOf(before))
      refuseTooLarge((await findPatterns(tx)).map((other) => (other.id === id ? row : other)))
    await updatePatternRow(tx, row)
    await record(tx, ctx, 'content_pattern.updated', row)
    await saveSetsOf(tx, ctx, id, [before.group, row.group])
    return patternAnswer(row)
  })
}

/** @throws 403, 404, 409 for a built-in pattern and for one that a policy binds */
export async function deletePattern(ctx: Ctx<Member>, id: string): Promise<void> {
  await ctx.inTenant(async (tx) => {
    const row = await lockPattern(tx, ctx.actor, id)
    const bound = await findBoundNames(tx, id, [row.group], mostNamed)
    if (bound.total > 0) throw conflict(boundText(bound))
    await deletePatternRow(tx, id)
    await record(tx, ctx, 'content_pattern.deleted', row)
  })
}

const mostNamed = 3

function boundText({ names, total }: { names: readonly string[]; total: number }): string {
  const others = total > names.length ? ` and ${total - names.length} more` : ''
  return `policies bind this pattern or its group: ${names.map((name) => JSON.stringify(name)).join(', ')}${others}; remove the bindings first, or move the pattern to another group`
}

const bytesOf = (row: PatternRow) => Buffer.byteLength(JSON.stringify(heldPattern(definitionOf(row))))

// All patterns may be in one profile, and a profile must not be too large for edges.
function refuseTooLarge(rows: readonly PatternRow[]): void {
  const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0)
  if (bytes > maxContentPatternBytes)
    throw conflict(`the content patterns of an organization have at most ${maxContentPatternBytes} bytes together`)
}

/** @throws 403, 404, before anything else of the request is checked */
export async function refuseBadChange(ctx: Ctx<Member>, id: string): Promise<void> {
  throwIfRefused(patternChangeRefusal(ctx.actor))
  if (!builtinPattern(id) && !(await findPatternById(ctx.sql, id))) throw notFound('content pattern')
}

async function lockPattern(tx: Tx, actor: Member, id: string): Promise<PatternRow> {
  throwIfRefused(patternChangeRefusal(actor) ?? builtinRefusal(id))
  await lockPatterns(tx)
  const row = await findPatternById(tx, id)
  if (!row) throw notFound('content pattern')
  return row
}

type PatternEvent = 'content_pattern.created' | 'content_pattern.updated' | 'content_pattern.deleted'

function record(tx: Tx, ctx: Ctx<Member>, event: PatternEvent, { id, name, group, kind }: PatternRow): Promise<string> {
  return recordAudit(tx, ctx, event, { resource: { type: 'content_pattern', id, name }, details: { group, kind } })
}
