import type { PatternDefinition } from '@mandate/content/definition'
import type { Place } from '@mandate/content/pool/job'
import { TookTooLong } from '@mandate/content/pool/pool-errors'
import { type ContentTest, maxTestMatches } from '@mandate/contract/content'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { invalid } from '../../refusal.ts'
import { definitionOf, heldBuiltins } from './pattern-answer.ts'
import { findPatterns } from './pattern-queries.ts'
import { poolRefusal } from './pool-refusal.ts'

/**
 * Finds patterns in a text, in a worker thread. The text is not stored and not logged.
 * @throws 400 for an unknown pattern, and for a search that takes too long; 429 if too many texts wait; 503 if the search fails
 */
export async function testPatterns(ctx: Ctx<Member>, { text, pattern_ids: ids }: ContentTest) {
  const all: PatternDefinition[] = [...heldBuiltins, ...(await findPatterns(ctx.sql)).map(definitionOf)]
  const known = new Map(all.map((pattern) => [pattern.id, pattern]))
  const patterns = ids === undefined ? all : [...new Set(ids)].map((id, index) => known.get(id) ?? unknown(index))
  const job = { kind: 'find', patterns, text, most: maxTestMatches } as const
  const places = await ctx.services.contentPool.run(job, ctx.actor.tenantId).catch((error: unknown) => {
    if (error instanceof TookTooLong)
      throw invalid('text: the search takes too long; send a shorter text or fewer patterns')
    throw poolRefusal(error)
  })
  return { matches: inCodePoints(text, places) }
}

function unknown(index: number): never {
  throw invalid(`pattern_ids[${index}]: content pattern not found`)
}

/** Counts places in code points instead of UTF-16 units. Reads the text once. */
function inCodePoints(text: string, places: readonly Place[]) {
  const wanted = [...new Set(places.flatMap(({ start, end }) => [start, end]))].sort((one, other) => one - other)
  const points = new Map<number, number>()
  let unit = 0
  let point = 0
  for (const place of wanted) {
    while (unit < place) {
      unit += (text.codePointAt(unit) as number) > 0xffff ? 2 : 1
      point++
    }
    points.set(place, point)
  }
  return places.map(({ pattern_id, start, end }) => ({
    pattern_id,
    start: points.get(start) as number,
    end: points.get(end) as number,
  }))
}
