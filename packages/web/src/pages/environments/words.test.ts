import { expect, it } from 'vitest'
import { clausesOf, effectsOf, enforcingEffects } from './words.ts'

const plain = (text: string | undefined) => text?.replaceAll('\u00a0', ' ')

it('names environments that stop nothing, production first', () => {
  const environment = (is_production: boolean, governance_mode: string) => ({ is_production, governance_mode })
  const clauses = clausesOf([
    environment(false, 'monitor'),
    environment(true, 'monitor'),
    environment(true, 'enforce'),
  ] as never)
  expect(clauses.map(({ text }) => plain(text))).toEqual([
    '1 production environment stops nothing',
    '1 environment only records decisions',
  ])
})

it('says what a deletion revokes and keeps', () => {
  const none = { agents: 0, api_keys: 0, reports_kept: 0, reports_listed: 0, live_share_links: 0 }
  expect(effectsOf(none)).toEqual({
    stops: undefined,
    effects: ['No API key is bound to it.', 'The keys of its edges are revoked.', 'No report is about it.'],
  })
  const { stops, effects } = effectsOf({ ...none, agents: 2, api_keys: 1, reports_kept: 3, live_share_links: 1 })
  expect(plain(stops)).toBe('2 agents are in the environment. Archive or move them first.')
  expect(effects.map(plain)).toEqual([
    '1 API key bound to it is revoked.',
    'The keys of its edges are revoked.',
    '3 reports are kept as reports of the organization.',
    '1 share link keeps working.',
  ])
})

it('says which tools enforcing pins stops', () => {
  const state = (counts: Record<string, number>) => ({
    state: Object.entries(counts).map(([key, count]) => ({ key, name: key, count })),
  })
  expect(enforcingEffects(state({ new: 2, changed: 1, pinned: 3 })).map(plain)).toEqual([
    '2 tools have no pin. Edges hide them and deny their calls.',
    '1 tool changed after it was pinned. Edges that see the new definition hide it and deny its calls.',
    'From now on, a new tool works only after somebody has pinned it.',
  ])
  expect(enforcingEffects(state({ pinned: 3 }))[0]).toContain('nothing stops now')
})
