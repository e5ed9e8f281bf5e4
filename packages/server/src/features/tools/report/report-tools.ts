import { mcpToolName } from '@mandate/contract/fields/mcp-tool-name'
import { type DeclaredTool, mostInventoryBytes, mostTools, type ToolReport } from '@mandate/contract/tools'
import { firstLabels } from '@mandate/contract/words/tool-words'
import type { EdgeActor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { Pauses } from '../../../concurrency/pauses.ts'
import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { conflict, invalid, throwIfRefused } from '../../../refusal.ts'
import { cutText } from '../../../text/cut-text.ts'
import { requireServed } from '../../edge/reach/served.ts'
import { findPlace, lockInventory, storeSize } from '../inventory-queries.ts'
import { placeOf } from '../pins/get-pins.ts'
import { raiseLocked } from '../raise-version.ts'
import { inspectDefinition } from '../warnings/inspect-definition.ts'
import { otherToolsOf } from '../warnings/other-tools.ts'
import { type Definition, definitionOf } from './definition.ts'
import { findLabels, type Labelled, storeLabels } from './label-queries.ts'
import {
  findKnown,
  findNames,
  forgetDeclared,
  insertTools,
  lockEnvironment,
  type NewDefinition,
  type NewTool,
  noteDeclared,
  type Reporter,
  storeDefinitions,
} from './report-queries.ts'
import { admit, roomFor } from './room.ts'

/** A reported tool with its definition. */
interface Reported extends Definition {
  tool: string
  declared: DeclaredTool
}

interface Refused {
  refusedTools: number
  refusedDefinitions: number
}

interface Place {
  environmentId: string
  server: string
}

const mostTitle = 200
const mostDescription = 2_000

/**
 * Stores what a server declares. Returns the tools whose definition was not known.
 * @throws 400 for a definition that is too large or a name that policies cannot have; 404 for an agent that the credential does not serve;
 * 409 for an agent without an environment, and if there is no room for new tools or definitions. Known tools are then stored nevertheless.
 */
export async function reportTools(ctx: Ctx<EdgeActor>, report: ToolReport): Promise<{ changed: string[] }> {
  const { actor, sql } = ctx
  const reported = readReport(report)
  if (report.agent_id !== undefined) await requireServed(sql, actor, [report.agent_id])
  const environment = await findPlace(sql, placeOf(actor))
  if (!environment) throw conflict('the agent has no environment')
  const place = { environmentId: environment.id, server: report.server }
  const agentId = actor.kind === 'agent' ? actor.agentId : null
  const reporter = { id: actor.credentialId, declaredFor: report.agent_id ?? actor.credentialId, agentId }

  const known = new Map((await findKnown(sql, place.environmentId, reported)).map(({ tool, hash }) => [tool, hash]))
  const unseen = reported.filter(({ tool, hash }) => known.get(tool) !== hash)
  if (unseen.length === 0) {
    await ctx.inTenant((tx) => note(tx, place, reporter, reported, ctx.now))
    return { changed: [] }
  }
  const inspected = await inspect(ctx, place, unseen, reported)
  const stored = await ctx.inTenant((tx) => store(tx, place, reporter, { reported, inspected }, ctx.now))
  throwIfRefused(fullRefusal(stored, agentId !== null))
  return { changed: stored.changed }
}

/** Returns the 409 for tools and definitions for which there was no room. */
function fullRefusal({ refusedTools, refusedDefinitions }: Refused, isByAgent: boolean) {
  if (refusedTools + refusedDefinitions === 0) return undefined
  const limit = isByAgent
    ? `the limits of tools and definitions that agents with keys of their own report are reached`
    : `the environment has ${mostTools} tools or ${mostInventoryBytes / 2 ** 20} MiB of definitions, which is the limit`
  return conflict(`${limit}; ${refusedTools} new tools and ${refusedDefinitions} new definitions were not stored`)
}

/** Returns the tools of a report by their names in policies. If a name is there twice, the last one counts. */
function readReport({ server, tools }: ToolReport): Reported[] {
  const reported = new Map<string, Reported>()
  tools.forEach((declared, place) => {
    const tool = mcpToolName(server, declared.name)
    if (tool === null) throw invalid(`tools.${place}.name: mcp:${server}/<name> must be at most 200 characters`)
    reported.set(tool, { tool, declared, ...definitionOf(declared, place) })
  })
  return [...reported.values()]
}

type Inspected = NewDefinition & Pick<Reported, 'name' | 'declared'>

/** Inspects definitions, before the transaction. Other requests run after each one, because a long definition takes a while. */
async function inspect(
  { sql }: Ctx<EdgeActor>,
  { environmentId, server }: Place,
  unseen: readonly Reported[],
  all: readonly Reported[],
): Promise<Inspected[]> {
  const names = await findNames(sql, environmentId)
  const own = [...names.filter((one) => one.server === server), ...all].map(({ name }) => name)
  const others = otherToolsOf(
    names.filter((one) => one.server !== server),
    own,
  )
  const inspected: Inspected[] = []
  const pauses = new Pauses()
  for (const { tool, name, hash, text, declared, declaredArgs } of unseen) {
    const warnings = inspectDefinition(declared, others)
    const [title, description] = [
      shortOrNull(declared.title, mostTitle),
      shortOrNull(declared.description, mostDescription),
    ]
    inspected.push({ tool, name, hash, text, declared, declaredArgs, title, description, warnings })
    await pauses.between()
  }
  return inspected
}

const shortOrNull = (text: string | undefined, most: number) => (text === undefined ? null : cutText(text, most))

interface Work {
  reported: readonly Reported[]
  inspected: readonly Inspected[]
}

/** Stores new tools and definitions, then what was declared. Returns how many new tools and definitions had no room. */
async function store(tx: Tx, place: Place, reporter: Reporter, { reported, inspected }: Work, now: string) {
  const { environmentId } = place
  const { agentId } = reporter
  if (!(await lockEnvironment(tx, environmentId))) throw conflict('the environment was deleted')
  const inventory = await lockInventory(tx, environmentId)
  const room = await roomFor(tx, environmentId, inventory, agentId)
  const names = inspected.map(({ tool }) => tool)
  const known = new Map((await findLabels(tx, environmentId, names)).map((one) => [one.tool, one]))
  const { admitted, ...refused } = admit(inspected, (tool) => known.has(tool), room)
  const fresh = admitted.filter(({ tool }) => !known.has(tool))
  const relabelled = admitted.flatMap((definition) => withMoreLabels(known.get(definition.tool), definition) ?? [])
  const isTold = fresh.length > 0 || relabelled.length > 0
  const version = isTold
    ? await raiseLocked(tx, { environmentId, at: now }, inventory, fresh.length)
    : inventory.version
  if (fresh.length > 0) await insertTools(tx, { ...place, version, agentId, now }, fresh.map(newTool))
  const { changed, bytes } = await storeDefinitions(tx, environmentId, admitted, { agentId, now })
  if (relabelled.length > 0) await storeLabels(tx, environmentId, version, relabelled)
  await storeSize(tx, environmentId, { bytes })
  await note(tx, place, reporter, reported, now)
  return { changed, ...refused }
}

/**
 * Returns the labels of a known tool with those of a further definition, or null if there are no more. Until people set the labels, the labels of
 * all definitions count: otherwise a reporter could declare a tool harmless before the others report it.
 */
function withMoreLabels(known: Labelled | undefined, { tool, declared }: Inspected) {
  if (!known || known.byPeople) return null
  const labels = [...new Set([...known.labels, ...firstLabels(declared)])].sort()
  return labels.length > known.labels.length ? { tool, labels } : null
}

const newTool = (definition: Inspected): NewTool => ({
  ...definition,
  id: newId(),
  labels: firstLabels(definition.declared),
})

async function note(tx: Tx, { environmentId }: Place, reporter: Reporter, reported: readonly Reported[], now: string) {
  await noteDeclared(tx, environmentId, reporter, reported, now)
  if (reporter.declaredFor === reporter.id) return
  const tools = reported.map(({ tool }) => tool)
  await forgetDeclared(tx, environmentId, tools, reporter.id)
}
