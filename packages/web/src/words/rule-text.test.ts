import { expect, it } from 'vitest'
import { hunksOf, hunksOfPolicies } from './rule-text.ts'

const match = (tool: string) => ({ tools: [tool], when: [] })

it('the difference of two versions names fields and environments as the screens do', () => {
  const diff = {
    fields: [
      { field: 'environment_id', from: null, to: 'e1', change_class: 'mixed' },
      { field: 'default_effect', from: 'deny', to: 'allow', change_class: 'loosens' },
    ],
    rules: {
      added: [],
      removed: [],
      changed: [
        {
          id: 'r1',
          fields: [
            { field: 'enabled', from: true, to: false },
            { field: 'match', from: match('mcp:mail/read'), to: match('mcp:mail/*') },
          ],
          change_class: 'mixed',
        },
      ],
    },
  }
  const snapshot = { rules: [{ id: 'r1', name: 'Reads', priority: 10 }] }
  const hunks = hunksOf({ diff, snapshot } as never, (id) => `Place ${id}`)
  expect(hunks.map(({ title, before, after }) => [title, before, after])).toEqual([
    ['The environment changed', 'environment: every environment', 'environment: Place e1'],
    [
      'The effect of calls that no rule matches changed',
      'effect of calls that no rule matches: Deny',
      'effect of calls that no rule matches: Allow',
    ],
    ['Rule Reads changed', 'state: on\ntool: mcp:mail/read', 'state: off\ntool: mcp:mail/*'],
  ])
})

it('the difference of two policies has their settings, and the rules that only one of them has', () => {
  const rule = (name: string, effect: string) => ({ id: name, name, priority: 10, enabled: true, effect, reason: '' })
  const policy = (name: string, ...rules: object[]) => ({
    name,
    environment_id: null,
    override_mode: 'enforce',
    default_effect: name === 'Starter' ? 'deny' : 'allow',
    dlp_enabled: false,
    rules: rules.map((each, index) => ({ ...each, id: `${name} ${index}`, match: match('mcp:mail/read') })),
  })
  const before = policy('Starter', rule('Reads', 'allow'), rule('Deletes', 'deny'))
  const after = policy('Wide', rule('Reads', 'allow'), rule('Writes', 'allow'))
  const hunksBetween = (...[one, other]: object[]) =>
    hunksOfPolicies(one as never, other as never, (id) => `Place ${id}`)
  expect(hunksBetween(before, after)).toMatchObject([
    { title: 'The policies have different settings', before: expect.stringContaining('no rule matches: Deny') },
    { title: 'Rule Writes is only in Wide', is: 'allow', before: '' },
    { title: 'Rule Deletes is only in Starter', was: 'deny', after: '' },
  ])
  expect(hunksBetween(before, before)).toEqual([])
})
