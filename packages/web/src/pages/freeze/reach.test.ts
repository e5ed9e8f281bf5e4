import { expect, it } from 'vitest'
import { byEnvironment, dotsText, reachLabel, reachOf, withinText } from './reach.ts'

const none = { confirmed: [], waiting: [], unreachable: [] }
const active = { active: true, drill: false }

it('the counts are those of the freeze, not of the rows that were read', () => {
  const edges = { total: 1000, confirmed: 800, unreachable: 50 }
  expect(reachOf({ ...active, edges }, none)).toEqual({ total: 1000, confirmed: 800, waiting: 150, missing: 50 })
})

it('an edge that has not confirmed yet is not called an edge without an answer', () => {
  const reach = reachOf({ ...active, edges: { total: 40, confirmed: 0, unreachable: 0 } }, none)
  expect(reachLabel(reach).join(' ').replaceAll('\u{a0}', ' ')).toBe(
    '0 edges confirmed. 40 edges have not confirmed yet.',
  )
})

it('after the freeze no edge waits', () => {
  const edges = { total: 5, confirmed: 3, unreachable: 1 }
  expect(reachOf({ active: false, drill: false, edges }, none)).toMatchObject({ waiting: 0, missing: 2 })
})

it('a reader who does not see the counts sees those of the rows', () => {
  const row = { after_ms: 1 } as never
  expect(reachOf({ ...active, edges: null }, { confirmed: [row], waiting: [row], unreachable: [] })).toEqual({
    total: 2,
    confirmed: 1,
    waiting: 1,
    missing: 0,
  })
})

it('the chart says if its dots are only a part of the edges', () => {
  expect(dotsText(500, { confirmed: 500 })).not.toContain('percentiles')
  expect(dotsText(500, { confirmed: 800 })).toContain('of 500 of the edges that confirmed.')
})

it('names the slowest confirmation only if the times of all are read', () => {
  const edges = { total: 3, confirmed: 2, unreachable: 1 }
  expect(withinText({ edges }, [440, 1160])).toBe(' within 1.2\u{a0}s')
  expect(withinText({ edges }, [440])).toBeUndefined()
  expect(withinText({ edges: { ...edges, confirmed: 0 } }, [])).toBeUndefined()
  expect(withinText({ edges: null }, [440])).toBeUndefined()
})

it('groups edges by environment: those with most missing edges first, and in each what is missing first', () => {
  const row = (name: string | null, state: string, after_ms: number | null = null) =>
    ({ environment: name && { id: name, name, slug: name }, state, after_ms }) as never
  const rows = [
    row('staging', 'confirmed', 1),
    row('production', 'confirmed', 1),
    row('production', 'confirmed', 9),
    row('production', 'unreachable'),
    row(null, 'confirmed', 1),
    row('development', 'confirmed', 1),
  ]
  const lines = byEnvironment(rows).map(({ environment, rows, confirmed }) => [
    environment?.name,
    rows.map(({ state, after_ms }) => after_ms ?? state),
    confirmed,
  ])
  expect(lines).toEqual([
    ['production', ['unreachable', 9, 1], 2],
    [undefined, [1], 1],
    ['development', [1], 1],
    ['staging', [1], 1],
  ])
})
