import type { ContentPattern } from '@mandate/contract/content'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Include } from '../../caller/may-part.ts'
import { builtinAnswers, patternAnswer } from './pattern-answer.ts'
import { findPatterns } from './pattern-queries.ts'
import { patternMay } from './rules.ts'

/** Returns the built-in patterns, then those of the tenant. */
export async function listPatterns(ctx: Ctx<Member>, include: Include): Promise<{ data: ContentPattern[] }> {
  const own = (await findPatterns(ctx.sql)).map(patternAnswer)
  return { data: await patternMay.addToAll(ctx, include, [...builtinAnswers, ...own]) }
}
