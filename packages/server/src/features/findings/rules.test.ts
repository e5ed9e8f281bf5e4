import { describe, expect, it } from 'vitest'
import { type Axes, gapIn } from './rules.ts'

const claim = (mode: 'full' | 'partial' | 'none') => ({ mode, attested_at: '2026-01-01T00:00:00.000Z' })
const sight = (actions_seen: number, actions_mediated: number, unmediated_seen = 0) => ({
  window_start: '2026-01-01T00:00:00.000Z',
  window_end: '2026-01-01T00:05:00.000Z',
  actions_seen,
  actions_mediated,
  unmediated_seen,
})

describe('a gap in coverage', () => {
  it.each<[string, (keyof Axes)[] | null, Axes]>([
    ['no evidence shows no gap', null, { attested: null, observed: null }],
    ['a full claim and only mediated actions show no gap', null, { attested: claim('full'), observed: sight(3, 3) }],
    ['a partial claim shows a gap', ['attested'], { attested: claim('partial'), observed: null }],
    [
      'a claim of no mediation shows a gap, whatever the stats say',
      ['attested'],
      { attested: claim('none'), observed: sight(3, 3) },
    ],
    ['fewer mediated than seen actions show a gap', ['observed'], { attested: null, observed: sight(3, 2) }],
    ['one unmediated action shows a gap', ['observed'], { attested: claim('full'), observed: sight(3, 3, 1) }],
    [
      'both the attestation and the stats may show a gap',
      ['attested', 'observed'],
      { attested: claim('partial'), observed: sight(0, 0, 1) },
    ],
  ])('%s', (_, axes, evidence) => {
    const found = gapIn(evidence)
    expect(found && Object.keys(found)).toEqual(axes)
    for (const axis of axes ?? []) expect(found?.[axis]).toEqual(evidence[axis])
  })
})
