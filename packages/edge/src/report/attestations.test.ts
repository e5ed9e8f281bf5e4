import { expect, test } from 'vitest'
import { together } from './attestations.ts'

const claim = (mode: 'full' | 'partial' | 'none', tools: string[] = [], mediationPoints: string[] = []) => ({
  mode,
  tools,
  mediationPoints,
})

test.each([
  ['no one claims anything', [], claim('none')],
  ['one claims', [claim('full', ['b', 'a'], ['mcp'])], claim('full', ['a', 'b'], ['mcp'])],
  ['the weakest claim counts', [claim('full', ['a']), claim('partial', ['b'])], claim('partial', ['a', 'b'])],
  ['a claim of nothing adds nothing', [claim('none', ['x'], ['x']), claim('full', ['a'])], claim('full', ['a'])],
  ['tools are named once', [claim('partial', ['a', 'a']), claim('partial', ['a'])], claim('partial', ['a'])],
  [
    'names that the control plane does not take are left out',
    [claim('full', ['', 'x'.repeat(201), 'fn:a/\0', 'fn:a/\ud800', 'y'])],
    claim('full', ['y']),
  ],
])('%s', (_, claims, expected) => {
  expect(together(claims)).toEqual(expected)
})

test('attests at most as many tools as the control plane accepts', () => {
  const tools = Array.from({ length: 2000 }, (_, n) => `fn:a/${n}`)
  expect(together([claim('partial', tools)]).tools).toHaveLength(1000)
})
