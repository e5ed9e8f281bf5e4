import { expect, it } from 'vitest'
import { hunksOf } from './rule-text.ts'

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
