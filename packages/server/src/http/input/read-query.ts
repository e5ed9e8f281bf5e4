import { parse } from 'node:querystring'

const maxParameters = 100

/** Result of `parseQuery` for a query with too many parameters. `readQuery` recognizes this object and throws 400. */
export const tooManyParameters: Record<string, never> = Object.freeze({})
export const tooManyParametersText = `query must have at most ${maxParameters} parameters`

/**
 * Parses a query. A repeated parameter becomes an array. This runs before the caller is verified, so it parses at most 100
 * parameters.
 */
export function parseQuery(query: string): Record<string, unknown> {
  let separators = 0
  for (let at = query.indexOf('&'); at !== -1; at = query.indexOf('&', at + 1)) {
    if (++separators >= maxParameters) return tooManyParameters
  }
  return query.length === 0 ? {} : parse(query)
}
