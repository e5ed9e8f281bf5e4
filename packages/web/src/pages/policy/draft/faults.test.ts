import { expect, it } from 'vitest'
import type { DocumentRule } from '../document/document.ts'
import { faultAt, faultInWords, faultsOf } from './faults.ts'

it.each([
  ['rules[1].match.tools[0] must be a string', 'rules[1].match.tools[0]', 'Must be a string.'],
  [
    'default_effect must be one of allow, deny, require_approval',
    'default_effect',
    'Must be one of allow, deny, require_approval.',
  ],
  ['rules: at most 500', 'rules', 'At most 500.'],
  ['the request body is too large', '', 'The request body is too large.'],
  ['no connection to the server', '', 'No connection to the server.'],
])('finds the field that the error "%s" names, and says it without the path', (message, path, sentence) => {
  const faults = faultsOf(new Error(message))
  expect(faults).toEqual([{ path, message }])
  expect(faultAt(faults, path)).toBe(sentence)
})

const rule = (name: string, ...tools: string[]): DocumentRule => ({
  name,
  priority: 10,
  enabled: true,
  effect: 'deny',
  match: { tools, when: [] },
  reason: '',
})
const rules = [rule('Reads', 'mcp:crm/get-*'), rule('', 'mcp:crm/a', 'sms')]

it.each([
  ['rules[1].match.tools[1]', 'is not a tool pattern', 'Rule 2 of the list, tool 2: is not a tool pattern.'],
  [
    'rules[0].match.when[0].value',
    'must be a number for gt',
    'Rule Reads, condition 1, value: must be a number for gt.',
  ],
  ['rules[0].match.when[2]', 'must be an object', 'Rule Reads, condition 3: must be an object.'],
  ['rules[1].priority', 'is already used by rules[0]', 'Rule 2 of the list, priority: is already used by rule Reads.'],
  [
    'rules[1]',
    'can never fire: rules[0] (deny, no conditions) decides every call it matches',
    'Rule 2 of the list: can never fire: rule Reads (deny, no conditions) decides every call it matches.',
  ],
  [
    'override_mode',
    'must be one of inherit, enforce, monitor',
    'Enforcement: must be one of inherit, enforce, monitor.',
  ],
])('says a fault at %s without the path', (path, message, sentence) => {
  expect(faultInWords({ path, message }, rules)).toBe(sentence)
})

it('quotes the pattern that is wrong at the field of all patterns', () => {
  const faults = [{ path: 'rules[1].match.tools[1]', message: 'is not a tool pattern: it must have two segments' }]
  expect(faultAt(faults, 'rules[1].match.tools', rules)).toBe('“sms” is not a tool pattern: it must have two segments.')
})
