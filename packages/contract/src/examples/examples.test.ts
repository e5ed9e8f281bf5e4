import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { contentTypesOf } from '../endpoint/endpoint.ts'
import { endpoints, type OperationId } from '../endpoints.ts'
import { examples } from './examples.ts'

const all = Object.entries(endpoints) as [OperationId, Endpoint][]
const withBody = all.filter(([, { body }]) => body)

/** The schema of the main success response, if it has a JSON body. */
function answerOf(endpoint: Endpoint): z.ZodType | null {
  const schema = endpoint.answers[201] ?? Object.values(endpoint.answers)[0] ?? null
  return contentTypesOf(endpoint)[0] === 'application/json' ? schema : null
}
const withAnswer = all.filter(([, endpoint]) => answerOf(endpoint))

// Parsing drops unknown fields and normalizes values, so the result equals the example only if the example is exact.
describe('an example', () => {
  it.each(withBody)('of the request of %s is valid and has no unknown field', (id, { body }) => {
    const request = examples[id]?.request
    expect(body?.safeParse(request)).toEqual({ success: true, data: request })
  })

  it.each(withAnswer)('of the answer of %s is valid and has no unknown field', (id, endpoint) => {
    const schema = answerOf(endpoint) as z.ZodType
    const response = examples[id]?.response
    expect(schema.safeParse(response)).toEqual({ success: true, data: response })
  })

  it('belongs to an operation with such a body', () => {
    const ids = (list: typeof all) => list.map(([id]) => id).sort()
    const having = (part: 'request' | 'response') =>
      Object.keys(examples)
        .filter((id) => examples[id]?.[part] !== undefined)
        .sort()
    expect(having('request')).toEqual(ids(withBody))
    expect(having('response')).toEqual(ids(withAnswer))
  })
})
