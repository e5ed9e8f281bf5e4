import { expect, it } from 'vitest'
import { localPath } from './local-path.ts'

it.each([
  ['/agents?search=a%20b#top', '/agents?search=a%20b#top'],
  ['/', '/'],
  [undefined, '/'],
  ['', '/'],
  ['agents', '/'],
  ['//evil.example/agents', '/'],
  ['/\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['https://evil.example/agents', '/'],
  ['javascript:alert(1)', '/'],
  ['/..//evil.example', '/'],
  ['/.//evil.example', '/'],
  ['/a/..//evil.example', '/'],
  ['/%2e//evil.example', '/'],
])('%j leads to %s', (next, path) => {
  expect(localPath(next)).toBe(path)
})
