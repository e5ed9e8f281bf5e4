import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoints } from '../endpoints.ts'
import { boundsOf } from '../fields/bounds.ts'
import { objectAsSent, record, text, uuid } from '../fields/fields.ts'
import { findExcess } from './find-excess.ts'
import { findUnbounded } from './find-unbounded.ts'
import { fieldName } from './refusal-text.ts'

const schema = z.object({
  name: text({ max: 5 }).optional(),
  id: uuid.nullable().default(null),
  tags: z
    .array(text({ max: 3 }))
    .max(2)
    .optional(),
  labels: record(text({ max: 3 }), text({ max: 3 }), { maxKeys: 2, error: 'must be at most 2 entries' }).optional(),
  args: objectAsSent.optional(),
  value: z.union([text({ max: 3 }), z.number(), z.array(z.number()).max(2)]).optional(),
})

function excessOf(value: unknown): string | null {
  const found = findExcess(boundsOf(schema), value)
  return found && `${fieldName(found.path, 'body')} ${found.text}`
}

describe('a value larger than its schema allows', () => {
  it.each<[unknown, string | null]>([
    [{ name: '12345' }, null],
    [{ name: '123456' }, 'name must be at most 5 characters'],
    [{ name: '\u{1f600}'.repeat(5) }, null],
    [{ name: '\u{1f600}'.repeat(6) }, 'name must be at most 5 characters'],
    [{ id: 'x'.repeat(37) }, 'id must be a UUID'],
    [{ tags: ['a', 'b'] }, null],
    [{ tags: ['a', 'b', 'c'] }, 'tags must have at most 2 items'],
    [{ tags: ['a', 'long'] }, 'tags[1] must be at most 3 characters'],
    [{ labels: { a: '1', b: '2', c: '3' } }, 'labels must be at most 2 entries'],
    [{ labels: { long: '1' } }, 'labels keys must be at most 3 characters'],
    [{ labels: { a: 'long' } }, 'labels.a must be at most 3 characters'],
    [{ args: { a: Array(9_999).fill(1) } }, null],
    [{ args: { a: Array(10_001).fill(1) } }, 'args must hold at most 10000 values'],
    [{ value: [1, 2, 3] }, 'value must have at most 2 items'],
    [{ value: 'long' }, 'value must be at most 3 characters'],
    [{ value: [1, 2] }, null],
  ])('is reported: %j', (value, text) => {
    expect(excessOf(value)).toBe(text)
  })

  it.each([
    [null],
    [1],
    ['text'],
    [[1]],
    [{ name: 1, tags: {}, labels: [], args: 1, value: {} }],
    [{ other: Array(9) }],
  ])('is not reported for a wrong type, which the schema rejects later: %j', (value) =>
    expect(excessOf(value)).toBeNull(),
  )
})

describe('the check of `npm run lint`', () => {
  const unboundedTable = `import { z } from '${import.meta.resolve('zod')}'
    export const endpoints = { example: { method: 'POST', path: '/examples', query: z.object({ q: z.string().optional() }),
      body: z.object({ deep: z.union([z.array(z.object({ tags: z.array(z.number()) })).max(3), z.boolean()]).nullable(),
        labels: z.record(z.string().max(3), z.number()), any: z.unknown(), loose: z.looseObject({}) }) } }`

  it('passes for the API: every request field has a maximum size', () => {
    expect(findUnbounded(endpoints)).toEqual([])
  })

  it('fails for an endpoint with unbounded fields, and names each, also in unions, arrays and optional fields', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mandate-bounds-'))
    try {
      const file = join(folder, 'endpoints.mjs')
      writeFileSync(file, unboundedTable)
      const script = new URL('../../../../scripts/check-request-bounds.ts', import.meta.url).pathname
      const { status, stderr } = spawnSync(process.execPath, [script, file], { encoding: 'utf8' })
      expect(status).toBe(1)
      expect(stderr.split('\n').slice(0, 5)).toEqual([
        'example (POST /examples): query field q is a string without a maximum length',
        'example (POST /examples): body field deep.*.tags is an array without a maximum length',
        'example (POST /examples): body field labels is a record without a maximum number of keys',
        'example (POST /examples): body field any is unknown, of which no size is known',
        'example (POST /examples): body field loose is an object that keeps unknown fields',
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
