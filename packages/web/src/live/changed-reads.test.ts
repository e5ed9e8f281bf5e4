import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventTypes } from '@mandate/contract/events'
import { expect, it } from 'vitest'
import { livePlaces } from '../shell/frame/live-places.ts'
import { changedReads, everyRead, followed } from './changed-reads.ts'

/** Reads of live pages that follow no event. Each has the reason. */
const withoutEvents: Record<string, string> = {
  getPolicyVersion: 'a saved version never changes',
  getContentBindingsVersion: 'a saved version never changes',
  getDecision: 'a decision never changes',
  getDecisionReceipt: 'a decision never changes',
  replayDecision: 'repeats a decision by its own version',
  getSigningKey: 'the person reads it to verify an export',
  getDecisionTimeline: 'repeated at intervals, because the stream has no decisions',
  listDecisions: 'repeated at intervals, because the stream has no decisions',
  simulatePolicy: 'answers what the person tries',
  validatePolicy: 'answers what the person types',
  replayPolicy: 'answers what the person tries',
  previewFreeze: 'a dialog asks for it',
}

/** The folders of the pages that are marked as live. */
const folderOf: Record<string, string[]> = {
  '': ['overview'],
  reviews: ['reviews', 'review'],
  agents: ['agents', 'agent'],
  edges: ['edges', 'edge'],
  policies: ['policies', 'policy'],
  decisions: ['decisions', 'decision'],
  freezes: ['freezes', 'freeze'],
}
const pages = join(import.meta.dirname, '../pages')

function readsOf(folder: string): string[] {
  return readdirSync(join(pages, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.test.ts'))
    .flatMap((name) => {
      const source = readFileSync(join(pages, folder, name), 'utf8')
      return [
        ...source.matchAll(/\b(?:read|useList|client\.call)\(\s*'((?:get|list|replay|simulate|validate|preview)\w*)'/g),
      ]
    })
    .map(([, operation = '']) => operation)
}

it.each(livePlaces)('each read of the live page /%s follows events, or has a reason not to', (place) => {
  const reads = (folderOf[place] ?? [place]).flatMap(readsOf)
  expect(reads.length).toBeGreaterThan(0)
  const known = [...everyRead, ...Object.keys(withoutEvents)]
  expect([...new Set(reads)].filter((operation) => !known.includes(operation))).toEqual([])
})

it('a policy is read again when an agent gets it, and the timeline of an agent when its policy is saved', () => {
  expect(changedReads({ type: 'agent.changed' })).toEqual(expect.arrayContaining(['listPolicies', 'getPolicy']))
  expect(changedReads({ type: 'policy.saved' })).toContain('getAgentTimeline')
})

it('an audit entry changes the trail, and the reads of what it is about', () => {
  expect(changedReads({ type: 'audit.recorded', about: { type: 'api_key', id: 'a' } }).toSorted()).toEqual([
    'getAuditProof',
    'listApiKeys',
    'listAuditEntries',
  ])
  expect(changedReads({ type: 'audit.recorded', about: { type: 'environment', id: 'a' } })).toEqual(everyRead)
})

const server = join(import.meta.dirname, '../../../server/src')

/** The kinds of objects that audit entries of the server are about. */
const recorded = readdirSync(server, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .flatMap((name) => [...readFileSync(join(server, name), 'utf8').matchAll(/\bresource: \{ type: '(\w+)'/g)])
  .map(([, kind = '']) => kind)

it.each(Object.entries(followed))(
  '%s is read again at events or audit entries about each of its objects',
  (read, kinds) => {
    const sent = [
      ...Object.keys(eventTypes).map((type) => ({ kind: type.split('.')[0], event: { type } })),
      ...recorded.map((kind) => ({ kind, event: { type: 'audit.recorded', about: { type: kind, id: '' } } })),
    ]
    const heard = sent.filter(({ event }) => changedReads(event).includes(read as never)).map(({ kind }) => kind)
    expect(kinds.filter((kind) => !heard.includes(kind))).toEqual([])
  },
)

it('every event but those of decisions changes a read', () => {
  const silent = Object.keys(eventTypes).filter((type) => changedReads({ type }).length === 0)
  expect(silent).toEqual(['decision.recorded', 'decision.skipped'])
})
