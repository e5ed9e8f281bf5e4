import Ajv from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { conditionOperators, effects, overrideModes } from '../words/policy-words.ts'
import { PolicyFileContent, policyFileSchema } from './policy-file.ts'

const ajv = new Ajv.default({ strict: false })
addFormats.default(ajv)
const fitsSchema = ajv.compile(policyFileSchema())

const either = <T, U>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<U>) =>
  fc.oneof(
    { weight: 30, arbitrary: usual as fc.Arbitrary<T | U> },
    { weight: 1, arbitrary: other as fc.Arbitrary<T | U> },
  )
const wrong = fc.constantFrom<unknown>(null, -1, 1.5, '', 'x', [], {}, true)
const word = fc.stringMatching(/^[a-z]{1,8}$/)
const scalar = fc.oneof(word, fc.integer(), fc.boolean())
const condition = fc.record(
  {
    path: either(word, wrong),
    op: either(fc.constantFrom(...conditionOperators), wrong),
    value: either(fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), wrong),
    more: wrong,
  },
  { requiredKeys: ['path', 'op', 'value'] },
)
const rule = fc.record(
  {
    name: either(word, wrong),
    priority: either(fc.integer(), wrong),
    enabled: either(fc.boolean(), wrong),
    effect: either(fc.constantFrom(...effects), wrong),
    reason: either(word, wrong),
    limit: either(
      fc.record({ count: fc.integer({ min: 1, max: 9 }), window_s: fc.integer({ min: 1, max: 9 }) }),
      wrong,
    ),
    match: either(
      fc.record(
        {
          tools: either(fc.array(word, { minLength: 1, maxLength: 2 }), wrong),
          when: fc.array(condition, { maxLength: 2 }),
        },
        { requiredKeys: ['tools'] },
      ),
      wrong,
    ),
    id: either(fc.uuid(), wrong),
    wen: wrong,
  },
  { requiredKeys: ['priority', 'effect', 'match'] },
)
const file = fc.record(
  {
    name: either(word, wrong),
    environment: either(fc.option(word), wrong),
    description: either(word, wrong),
    override_mode: either(fc.constantFrom(...overrideModes), wrong),
    default_effect: either(fc.constantFrom(...effects), wrong),
    dlp_enabled: either(fc.boolean(), wrong),
    version: either(fc.integer({ min: 1 }), wrong),
    rules: either(fc.array(rule, { maxLength: 3 }), wrong),
  },
  { requiredKeys: ['name', 'environment', 'rules'] },
)

it('the JSON Schema of policy files accepts the files that the command accepts, and no others', () => {
  let accepted = 0
  fc.assert(
    fc.property(file, (value) => {
      const isValid = PolicyFileContent.safeParse(value).success
      if (isValid) accepted++
      expect(fitsSchema(value), JSON.stringify(fitsSchema.errors)).toBe(isValid)
    }),
    { numRuns: 2000 },
  )
  expect(accepted).toBeGreaterThan(20)
})
