import type { PinChange, Tool } from '@mandate/contract/tools'
import type { AuditEvent } from '../../../audit/events.ts'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { invalid, notFound } from '../../../refusal.ts'
import { lockInventory } from '../inventory-queries.ts'
import { raiseLocked } from '../raise-version.ts'
import { toolAnswers } from '../tool-answer.ts'
import { findHashes, findTool, lockTool, storeSetting, type ToolRow, type ToolSetting } from '../tool-queries.ts'

/** What an action changes. `details` are those of the audit entry. */
interface Change {
  event: AuditEvent
  setting: Partial<ToolSetting>
  details: Record<string, unknown>
}

/** Returns the change of a tool, or null if nothing changes. */
type Decide = (tool: ToolRow, tx: Tx) => Promise<Change | null> | Change | null

/**
 * Pins definitions. They replace all earlier pins.
 * @throws 404; 400 for a hash that is no stored definition of the tool
 */
export function pinTool(
  ctx: Ctx<Member>,
  id: string,
  { definition_hash, definition_hashes }: PinChange,
): Promise<Tool> {
  const wanted = [...new Set(definition_hashes ?? [definition_hash as string])]
  return change(ctx, id, async ({ pins }, tx) => {
    const known = await findHashes(tx, id, wanted)
    if (known.length < wanted.length) throw invalid('definition_hash: no definition of this tool has this hash')
    if (isSame(pins, wanted)) return null
    return { event: 'tool.pinned', setting: { pins: wanted }, details: { from: pins, to: wanted } }
  })
}

/** @throws 404 */
export function unpinTool(ctx: Ctx<Member>, id: string): Promise<Tool> {
  return change(ctx, id, ({ pins }) =>
    pins.length === 0 ? null : { event: 'tool.unpinned', setting: { pins: [] }, details: { from: pins } },
  )
}

/** @throws 404 */
export function blockTool(ctx: Ctx<Member>, id: string, reason: string): Promise<Tool> {
  return change(ctx, id, ({ block_reason }) =>
    block_reason === reason ? null : { event: 'tool.blocked', setting: { block_reason: reason }, details: { reason } },
  )
}

/** @throws 404 */
export function unblockTool(ctx: Ctx<Member>, id: string): Promise<Tool> {
  return change(ctx, id, ({ block_reason }) =>
    block_reason === null
      ? null
      : { event: 'tool.unblocked', setting: { block_reason: null }, details: { reason: block_reason } },
  )
}

/** Reports do not change the labels afterwards. @throws 404 */
export function labelTool(ctx: Ctx<Member>, id: string, given: readonly string[]): Promise<Tool> {
  const labels = [...new Set(given)].sort()
  return change(ctx, id, (tool) =>
    tool.labels_by_people && isSame(tool.labels, labels)
      ? null
      : {
          event: 'tool.labels_changed',
          setting: { labels, labels_by_people: true },
          details: { from: tool.labels, to: labels },
        },
  )
}

const isSame = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((text, at) => text === other[at])

async function change(ctx: Ctx<Member>, id: string, decide: Decide): Promise<Tool> {
  return await ctx.inTenant(async (tx) => {
    const seen = await requireTool(ctx, tx, id)
    const inventory = await lockInventory(tx, seen.environment_id)
    await lockTool(tx, id)
    const tool = await requireTool(ctx, tx, id)
    const made = await decide(tool, tx)
    if (made !== null) {
      const version = await raiseLocked(tx, { environmentId: tool.environment_id, at: ctx.now }, inventory)
      await storeSetting(tx, id, { ...tool, ...made.setting }, version)
      await recordAudit(tx, ctx, made.event, {
        resource: { type: 'tool', id, name: tool.tool },
        details: { environment_id: tool.environment_id, ...made.details },
        environmentId: tool.environment_id,
      })
    }
    const after = made === null ? tool : await requireTool(ctx, tx, id)
    const [answer] = await toolAnswers(ctx, tx, [after])
    return answer as Tool
  })
}

async function requireTool({ actor, now }: Ctx<Member>, tx: Tx, id: string): Promise<ToolRow> {
  const tool = await findTool(tx, actor, id, now)
  if (!tool) throw notFound('tool')
  return tool
}

/** Throws the 404 of a change of a tool, if the body is malformed. */
export async function refuseUnknown(ctx: Ctx<Member>, id: string): Promise<void> {
  if (!(await findTool(ctx.sql, ctx.actor, id, ctx.now))) throw notFound('tool')
}
