import { readFileSync } from 'node:fs'
import { mostEdgeStreamsOfTenant, mostStreamsOfKey } from '@mandate/contract/edge-push'
import { mostStreamsOfCaller, mostStreamsOfTenant } from '@mandate/contract/events'
import { expect, it } from 'vitest'
import { everyMs, mostCountedAgents, mostNamed, mostNamedOfAgent } from '../events/decision-feed.ts'
import { resumableMs, storedMs } from '../events/slots.ts'
import * as edgeStream from '../features/edge-push/edge-stream.ts'
import * as tenantEdges from '../features/edge-push/tenant-edges.ts'
import { mostMissedRows } from '../features/events/stored/send-missed.ts'
import { mostInWindow } from '../features/events/stream/decision-window.ts'
import { mostHeldBytes, mostUnreadBytes, mostUnreadChecks } from '../features/events/stream/event-stream.ts'
import { keepAliveMs, mostWaiting } from '../features/events/tenant-streams.ts'

const page = readFileSync(new URL('../../../../docs/limits.md', import.meta.url), 'utf8')

/** Returns the first two cells of each row of the table in a section. Links are only their text. */
function limitsIn(section: string): string[][] {
  const [, text = ''] = page.split(`\n## ${section}\n`)
  const [table = ''] = text.split('\n## ')
  const [, ...rows] = table.split('\n').filter((line) => line.startsWith('| '))
  return rows.map((row) =>
    row
      .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
      .slice(2)
      .split(' | ')
      .slice(0, 2),
  )
}

const count = (limit: number) => limit.toLocaleString('en-US')
const kib = (bytes: number) => `${bytes / 1024} KiB`
const minutes = (ms: number) => `${ms / 60_000} minutes`

it('docs/limits.md has the limits of event streams that the code has', () => {
  expect(mostUnreadChecks).toBe(edgeStream.mostUnreadChecks)
  expect(keepAliveMs).toBe(tenantEdges.keepAliveMs)
  const inFeed = `for all streams of a tenant in ${everyMs} ms`
  expect(limitsIn('Event streams')).toEqual([
    ['Open event streams of a person or an API key, on one instance', count(mostStreamsOfCaller)],
    ['Open event streams of a tenant, on one instance', count(mostStreamsOfTenant)],
    ['Open streams of edges with the same key, on one instance', count(mostStreamsOfKey)],
    ['Open streams of edges of a tenant, on one instance', count(mostEdgeStreamsOfTenant)],
    ['Agents of one stream of an edge', count(edgeStream.mostAgents)],
    ['Time for which events are stored', `at least ${minutes(storedMs)}`],
    ['Age of the `Last-Event-ID` of a client', minutes(resumableMs)],
    ['Changes that a client missed', count(mostMissedRows)],
    ['Changes of a tenant that wait to be sent, on one instance', count(mostWaiting)],
    ['Decisions sent on one stream in a second', count(mostInWindow)],
    [
      `Decisions that are named ${inFeed}`,
      `the newest ${count(mostNamed)}, and of each agent the newest ${count(mostNamedOfAgent)}`,
    ],
    [`Agents whose decisions are counted ${inFeed}`, count(mostCountedAgents)],
    ['Data of an event stream that the client has not read', `${kib(mostUnreadBytes)} when the next events come`],
    [
      'New events that wait while missed events are sent on the stream',
      `${kib(mostHeldBytes)} when the next events come`,
    ],
    ['Data of a stream that the edge has not read', kib(edgeStream.mostUnreadBytes)],
    [
      `Checks in a row, one every ${keepAliveMs / 1000} seconds, in which a client or an edge has not read everything`,
      count(mostUnreadChecks - 1),
    ],
  ])
})
