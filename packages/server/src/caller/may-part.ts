import type { Member } from '../authz/actor.ts'
import { type May, mayWith, type Rules } from '../authz/may.ts'
import type { Ctx } from './ctx.ts'

/** The value of the query parameter `include`. */
export type Include = readonly string[] | undefined

/** Adds `may` and `may_not` to rows, if the request asks for them with `include=may`. Otherwise it returns the rows unchanged. */
export interface MayPart<Row> {
  addTo<R extends Row>(ctx: Ctx<Member>, include: Include, row: R): Promise<R & Partial<May>>
  addToAll<R extends Row>(ctx: Ctx<Member>, include: Include, rows: readonly R[]): Promise<(R & Partial<May>)[]>
}

/**
 * Makes a `MayPart` from the rules of the actions on a kind of row. `readStandings` reads what the rules need and the rows do not
 * have, with at most one query for all rows. It returns a function that combines this with a row.
 */
export function mayPart<Row, Standing>(
  rules: Rules<Standing>,
  readStandings: (ctx: Ctx<Member>, rows: readonly Row[]) => Promise<(row: Row) => Standing> | ((row: Row) => Standing),
): MayPart<Row> {
  const addToAll = async <R extends Row>(ctx: Ctx<Member>, include: Include, rows: readonly R[]) => {
    const answered = [...rows] as (R & Partial<May>)[]
    if (!asksForMay(include) || rows.length === 0) return answered
    const standingOf = await readStandings(ctx, rows)
    const mayOf = mayWith(ctx.actor, rules)
    return answered.map((row) => ({ ...row, ...mayOf(standingOf(row)) }))
  }
  return {
    addToAll,
    addTo: async <R extends Row>(ctx: Ctx<Member>, include: Include, row: R) =>
      (await addToAll(ctx, include, [row]))[0] as R & Partial<May>,
  }
}

export const asksForMay = (include: Include): boolean => include?.includes('may') ?? false
