import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventKinds, objectWords } from './event-kinds.ts'

const events = readFileSync(join(import.meta.dirname, '../../../../server/src/audit/events.ts'), 'utf8')
const firstWords = [...new Set([...events.matchAll(/^ {2}'(\w+)\./gm)].map(([, word = '']) => word))]

it('the filter offers each kind of event', () => {
  expect(firstWords.length).toBeGreaterThan(10)
  expect(eventKinds.map(({ value }) => value).toSorted()).toEqual(firstWords.map((word) => `${word}.*`).toSorted())
})

it('each kind of object has a word for people', () => {
  // Nothing has a gate as its object: its entries are about the organization.
  const objects = firstWords.filter((word) => word !== 'governance_gate')
  expect(objects.map((word) => objectWords[word] ?? word).filter((word) => word.includes('_'))).toEqual([])
})
