import { expect, it } from 'vitest'
import { useOwnServer } from '../../testing/use-test-server.ts'
import { addPartitions, dropExpired, findPartitions, type Owner } from './partitions.ts'

const server = useOwnServer()

const dayMs = 24 * 60 * 60_000
const day = (ms: number) => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')

async function withOwner<T>(work: (owner: Owner) => Promise<T>): Promise<T> {
  const client = await server.owner.connect()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}

const names = async () => new Set((await withOwner(findPartitions)).map(({ name }) => name))

it('every table has a partition for each day of the next week, also after days without a server', async () => {
  const today = Math.floor(Date.now() / dayMs) * dayMs
  // The database of a test may be a day older than the test. A server adds partitions when it starts.
  await withOwner((owner) => addPartitions(owner, new Date(today)))
  const tables = ['decision_records_30', 'decision_records_800', 'decision_minutes', 'decision_hours']
  const before = await names()
  for (let ahead = 0; ahead <= 7; ahead++) {
    for (const table of tables) expect(before).toContain(`${table}_${day(today + ahead * dayMs)}`)
  }
  await withOwner((owner) => addPartitions(owner, new Date(today + 12 * dayMs)))
  const after = await names()
  for (let ahead = 8; ahead <= 19; ahead++) {
    for (const table of tables) expect(after).toContain(`${table}_${day(today + ahead * dayMs)}`)
  }
})

it('a partition is dropped when all its rows have expired', async () => {
  const today = Math.floor(Date.now() / dayMs) * dayMs
  const dropped = await withOwner((owner) => dropExpired(owner, new Date(today + 91 * dayMs)))
  expect(dropped).toContain('decision_records_90_past')
  expect(dropped).toContain(`decision_records_30_${day(today)}`)
  expect(dropped).toContain(`decision_hours_${day(today)}`)
  const left = await names()
  expect(left).toContain(`decision_records_90_${day(today)}`)
  expect(left).toContain('decision_records_400_past')
  expect(left).toContain('decision_days_past')
  const later = await withOwner((owner) => dropExpired(owner, new Date(today + 92 * dayMs)))
  expect(later).toEqual([expect.stringMatching(/^decision_records_90_/)])
})

it('a partition that a long read uses is dropped by a later run', async () => {
  const reader = await server.owner.connect()
  await reader.query('begin')
  await reader.query('select count(*) from decision_records_400_past')
  const later = new Date(Date.now() + 402 * dayMs)
  const firstRun = await withOwner((owner) => dropExpired(owner, later))
  expect(firstRun).not.toContain('decision_records_400_past')
  await reader.query('rollback')
  reader.release()
  expect(await withOwner((owner) => dropExpired(owner, later))).toEqual(['decision_records_400_past'])
})
