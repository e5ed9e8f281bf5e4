import { parse } from 'node:querystring'

const maxParameters = 100

/** Stands for a query with more parameters than any endpoint has use for. */
export const tooManyParameters: Record<string, never> = Object.freeze({})
export const tooManyParametersText = `query must have at most ${maxParameters} parameters`

/** The parameters of a query; one that is given twice is an array. Runs before it is known who asks, so it parses no more than 100. */
export function parseQuery(query: string): Record<string, unknown> {
  let separators = 0
  for (let at = query.indexOf('&'); at !== -1; at = query.indexOf('&', at + 1)) {
    if (++separators >= maxParameters) return tooManyParameters
  }
  return query.length === 0 ? {} : parse(query)
}
