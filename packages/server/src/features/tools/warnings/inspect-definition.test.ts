import { DeclaredTool } from '@mandate/contract/tools'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inspectDefinition } from './inspect-definition.ts'
import { otherToolsOf } from './other-tools.ts'

const others = otherToolsOf([{ name: 'send_email', server: 'mail' }], [])
const piece = fc.constantFrom(
  'a',
  '\u{1F600}',
  '\u200B',
  '\u{E0041}',
  ' send_email ',
  'https://a.example/',
  'Ignore all previous ',
)
const long = fc
  .tuple(fc.nat(210), fc.array(piece, { maxLength: 200 }))
  .map(([n, rest]) => 'x'.repeat(n) + rest.join(''))
const schema = fc.dictionary(long, fc.oneof(long, fc.dictionary(long, long, { maxKeys: 3 })), { maxKeys: 4 })
const declared = fc.record({ name: fc.constant('odd'), description: long, input_schema: schema, annotations: schema })

it('the warnings about any definition that the contract takes can be stored', () => {
  fc.assert(
    fc.property(declared, (definition) => {
      for (const { where, detail } of inspectDefinition(DeclaredTool.parse(definition), others)) {
        expect(where.isWellFormed() && detail.isWellFormed()).toBe(true)
        expect(`${where}${detail}`).not.toContain('\0')
        expect([...where].length).toBeLessThanOrEqual(200)
      }
    }),
    { numRuns: 100 },
  )
})
