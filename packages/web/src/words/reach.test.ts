import { expect, it } from 'vitest'
import { reachText } from './reach.ts'

it('the reach of a stop says how many edges confirmed, and does not call a stop without edges good news', () => {
  expect(reachText({ edges: 4, confirmed: 3, p50_ms: 400, p99_ms: 1200 })).toBe(
    '3 of 4\u00a0edges confirmed, 99\u00a0of\u00a0100 within 1.2\u00a0s',
  )
  expect(reachText({ edges: 0, confirmed: 0, p50_ms: null, p99_ms: null })).toBe(
    'No edge ran the agents of this stop. While it lasts, an edge that starts denies every call',
  )
})
