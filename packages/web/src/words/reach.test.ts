import { expect, it } from 'vitest'
import { reachText } from './reach.ts'

it('the reach of a stop says how many edges confirmed, and does not call a stop without edges good news', () => {
  const reach = { kind: 'freeze', p50_ms: 400, p99_ms: 1200 } as const
  expect(reachText({ edges: 400, confirmed: 300, ...reach })).toBe(
    '300 of 400\u00a0edges confirmed, 99\u00a0of\u00a0100 within 1.2\u00a0s',
  )
  expect(reachText({ edges: 4, confirmed: 3, ...reach })).toBe('3 of 4\u00a0edges confirmed within about 1.2\u00a0s')
  expect(reachText({ edges: 1, confirmed: 1, ...reach })).toBe('1 of 1\u00a0edge confirmed after 1.2\u00a0s')
  const none = { edges: 0, confirmed: 0, p50_ms: null, p99_ms: null }
  expect(reachText({ kind: 'freeze', ...none })).toBe(
    'No edge ran its agents. While a stop lasts, an edge that starts denies every call',
  )
  expect(reachText({ kind: 'drill', ...none })).toBe('No edge ran its agents')
})
