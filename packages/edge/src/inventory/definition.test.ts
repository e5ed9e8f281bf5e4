import { contentHash } from '@mandate/proofs/canonical'
import { expect, it } from 'vitest'
import { definitionOf } from './definition.ts'

const tool = {
  name: 'read',
  title: 'Read',
  description: 'Reads.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
  _meta: { 'example.com/x': 1 },
  icons: [],
}

it('has the six fields that the control plane hashes, and leaves out absent ones', () => {
  const { inputSchema, outputSchema, _meta, icons, ...same } = tool
  const declared = { ...same, input_schema: inputSchema, output_schema: outputSchema }
  expect(definitionOf(tool)).toEqual({ declared, hash: contentHash(declared) })
  const empty = { title: null, description: null, inputSchema: null, outputSchema: null, annotations: null }
  for (const one of [{ name: 'read' }, { name: 'read', ...empty }])
    expect(definitionOf(one)).toEqual({ declared: { name: 'read' }, hash: contentHash({ name: 'read' }) })
})

it('does not depend on the order of keys', () => {
  const reversed = Object.fromEntries(Object.entries(tool).reverse())
  expect(definitionOf(reversed)?.hash).toBe(definitionOf(tool)?.hash)
})

it.each([
  ['a name of another type', { name: 5 }],
  ['a description of another type', { ...tool, description: 5 }],
  ['a schema of another type', { ...tool, inputSchema: [] }],
  ['a NUL in the schema', { ...tool, inputSchema: { type: 'ob\0ject' } }],
  ['an unpaired surrogate', { ...tool, description: '\ud800' }],
  ['a number that JSON cannot represent', { ...tool, inputSchema: { maximum: Number.POSITIVE_INFINITY } }],
  ['65 levels', { ...tool, inputSchema: JSON.parse(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`) }],
  ['more than 65,536 bytes', { ...tool, description: 'é'.repeat(32_768) }],
])('is null for %s', (_title, declared) => {
  expect(definitionOf(declared)).toBeNull()
})
