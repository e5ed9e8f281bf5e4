import { expect, it } from 'vitest'
import { readTools, readValue, savedValues, valueText } from '../rules/values.ts'
import {
  changesOf,
  type Document,
  documentOf,
  forForm,
  hasOldReason,
  newRule,
  readText,
  stateOf,
  textOf,
  unknownFields,
} from './document.ts'

const rule = {
  id: 'r1',
  name: 'Refunds',
  priority: 20,
  enabled: true,
  effect: 'allow' as const,
  match: { tools: ['mcp:stripe/refund'], when: [] },
  reason: '',
}
const document: Document = {
  name: 'Support',
  description: '',
  environment_id: null,
  override_mode: 'inherit',
  default_effect: 'deny',
  dlp_enabled: false,
  rules: [rule],
}

it('a text is read as the document that was written', () => {
  expect(readText(textOf(document))).toEqual({ document })
  expect(readText('{')).toHaveProperty('error')
  expect(readText('[]')).toEqual({ error: 'The text must be an object with a list of rules.' })
})

it('an error in the text names its line', () => {
  expect(readText('{\n  "name": x\n}')).toEqual({ error: expect.stringContaining('Line 2') })
})

it('a field that no policy has is a fault at its place, because a misspelled `when` removes the conditions of a rule', () => {
  const when = [{ path: 'args.a', op: 'eq', value: 1, absnt: true }]
  const limit = { count: 1, window_s: 60, per: 'agent' }
  const rules = [
    rule,
    { ...rule, match: { tools: ['a'], wen: when } },
    { ...rule, enabld: false, limit, match: { when } },
  ]
  const faults = unknownFields({ ...document, note: '', rules } as never)
  const places = ['note', 'rules[1].match.wen', 'rules[2].enabld', 'rules[2].limit.per', 'rules[2].match.when[0].absnt']
  expect(faults.map(({ path }) => path)).toEqual(places)
  expect(faults[1]?.message).toBe('rules[1].match.wen is not a field of this object')
  const valid = { ...rule, limit: null, match: { tools: [], when: [{ path: 'a', op: 'eq', value: 1, absent: true }] } }
  for (const rules of [[rule], [valid], [null], [{ match: 5 }]])
    expect(unknownFields({ ...document, rules } as never)).toEqual([])
})

it('the form can show any rules', () => {
  const odd = { ...document, rules: [null, { match: 5 }, { match: { tools: [1, 'a'], when: [{}] } }] as never }
  expect(forForm(odd).rules.map(({ match }) => match)).toEqual([
    { tools: [], when: [] },
    { tools: [], when: [] },
    { tools: ['a'], when: [{ path: '', op: 'eq', value: '' }] },
  ])
})

it('a limit is a part of the document, of the form and of the changes', () => {
  const limited = { ...rule, limit: { count: 10, window_s: 3600 } }
  const saved = documentOf({ ...document, rules: [limited] })
  expect(saved.rules).toEqual([limited])
  expect(forForm({ ...document, rules: [{ ...rule, limit: 'often' }] as never }).rules[0]?.limit).toEqual({
    count: 0,
    window_s: 0,
  })
  expect(forForm({ ...document, rules: [{ ...rule, limit: null }] as never }).rules[0]).not.toHaveProperty('limit')
  expect(stateOf({ ...limited, limit: undefined }, saved.rules)).toBe('changed')
  expect(stateOf(limited, saved.rules)).toBe('same')
})

it('a reason is old if only the effect of its rule was changed', () => {
  const saved = [{ ...rule, reason: 'Refunds are small' }]
  const [before] = saved
  expect(hasOldReason({ ...rule, reason: 'Refunds are small', effect: 'deny' }, saved)).toBe(true)
  expect(hasOldReason({ ...rule, reason: 'Refunds need a person', effect: 'deny' }, saved)).toBe(false)
  expect(hasOldReason({ ...rule, reason: '', effect: 'deny' }, saved)).toBe(false)
  expect(hasOldReason(before!, saved)).toBe(false)
  expect(hasOldReason({ ...newRule(saved), reason: 'Refunds are small' }, saved)).toBe(false)
})

it('changes are counted', () => {
  const added = newRule(document.rules)
  expect(added.priority).toBe(30)
  expect(stateOf(added, document.rules)).toBe('new')
  expect(stateOf({ ...rule, effect: 'deny' }, document.rules)).toBe('changed')
  expect(changesOf(document, document)).toBe(0)
  expect(changesOf(document, { ...document, name: 'Desk', rules: [added] })).toBe(3)
})

it.each([
  ['20000', 'gt', 20_000],
  ['"20000"', 'eq', '20000'],
  ['true', 'exists', true],
  ['eur, sek', 'in', ['eur', 'sek']],
  ['"a, b", 3', 'in', ['a, b', 3]],
  ['/srv/data', 'under', '/srv/data'],
  ['007', 'eq', '007'],
  ['9007199254740993', 'eq', '9007199254740993'],
  ['1e400', 'eq', '1e400'],
  ['1e-400', 'eq', '1e-400'],
  ['0.10000000000000000001', 'eq', '0.10000000000000000001'],
  ['0.30000000000000004', 'eq', 0.30000000000000004],
] as const)('the value %s of %s is read and written', (text, op, value) => {
  expect(readValue(text, op)).toEqual(value)
  expect(valueText(value as never)).toBe(text)
})

it.each(['9007199254740993', '1.00000000000000001', '1e-400'])(
  'a text with the number %s, which JavaScript rounds, is an error that names the field',
  (number) => {
    expect(readText(`{"rules": [{"priority": ${number}}]}`)).toEqual({
      error:
        'The number at “priority” is above 2^53 or has too many digits, so it cannot be kept exactly. Put it in quotes.',
    })
  },
)

it('tools are separated by commas and white space', () => {
  expect(readTools('mcp:mail/send,\n mcp:mail/reply  *')).toEqual(['mcp:mail/send', 'mcp:mail/reply', '*'])
  expect(readTools(' ')).toEqual([])
})

it('the saved value is known where the draft changes only the value of a condition', () => {
  const saved = [
    { path: 'args.amount', op: 'gt', value: 20_000 },
    { path: 'args.currency', op: 'eq', value: 'eur' },
    { path: 'args.note', op: 'exists', value: true },
  ] as const
  const [amount, currency, note] = saved
  const draft = [{ ...amount, value: 10_000 }, currency, { ...note, path: 'args.reason' }, amount]
  expect(savedValues(draft, saved)).toEqual(['20000', undefined, undefined, undefined])
})

it.each([true, false, undefined])('keeps what a condition says of an absent argument: %s', (absent) => {
  const condition = { path: 'args.amount', op: 'gt' as const, value: 1, ...(absent !== undefined && { absent }) }
  const saved = { ...document, rules: [{ ...rule, match: { ...rule.match, when: [condition] } }] }
  expect(documentOf(saved).rules[0]?.match.when).toEqual([condition])
  expect(forForm(saved).rules[0]?.match.when).toEqual([condition])
})
