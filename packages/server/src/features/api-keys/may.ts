import { mayPart } from '../../caller/may-part.ts'
import { findStandings, type KeyRow } from './queries.ts'
import { keyRules } from './rules.ts'

/** What the caller may do with stored keys. */
export const keyMay = mayPart(keyRules, ({ sql, actor }, keys: readonly KeyRow[]) =>
  findStandings(sql, actor.key?.id ?? null, keys),
)
