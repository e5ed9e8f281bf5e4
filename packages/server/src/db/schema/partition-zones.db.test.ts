import pg from 'pg'
import { expect, it } from 'vitest'
import { useOwnServer } from '../../testing/use-test-server.ts'
import { connectionConfig } from '../connections/connection-config.ts'
import { SessionClient } from '../connections/session-client.ts'
import { addPartitions, findPartitions } from './partitions.ts'

const server = useOwnServer()
const url = () => server.owner.options.connectionString as string

async function withClient<T>(client: pg.Client, work: (client: pg.Client) => Promise<T>): Promise<T> {
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function setZone(zone: string): Promise<void> {
  const name = new URL(url()).pathname.slice(1)
  await server.owner.query(`alter database ${name} set timezone = '${zone}'`)
}

/** Drops all partitions. The next call adds partitions like the first call on a new database. */
async function dropAll(): Promise<void> {
  await withClient(new SessionClient(connectionConfig(url())), async (client) => {
    for (const { name } of await findPartitions(client)) await client.query(`drop table ${name}`)
  })
}

interface Range {
  from: string
  to: string
}

const suffixOf = (at: string, letters: number) => at.replaceAll('-', '').slice(0, letters)
const bounds = /FROM \((?:\d+, )?(?:MINVALUE|'(?<from>[^']+)')\) TO \((?:\d+, )?'(?<to>[^']+)'\)/

/** The ranges of the partitions by the prefix of their names. Every name must end in the day or month of its range, in UTC. */
async function rangesByPrefix(): Promise<Map<string, Range[]>> {
  const { rows } = await withClient(new SessionClient(connectionConfig(url())), (client) =>
    client.query(`select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound from pg_class c
      where c.relispartition and c.relkind = 'r' and c.relname like 'decision%' order by 1`),
  )
  const ranges = new Map<string, Range[]>()
  for (const { name, bound } of rows) {
    const { from, to } = bounds.exec(bound)!.groups as unknown as Range
    const [, prefix, suffix] = /^(.+)_(past|\d+)$/.exec(name)!
    if (suffix !== 'past') expect(suffix).toBe(suffixOf(from, suffix!.length))
    const before = suffix === 'past' ? [] : [{ from, to }]
    ranges.set(prefix!, [...(ranges.get(prefix!) ?? []), ...before])
  }
  return ranges
}

const dayMs = 24 * 60 * 60_000
const inDays = (day: string, days: number) => Date.parse(day) + days * dayMs

/** Throws if a day between `first` and the week after `last` has no partition. */
function expectEveryDay(ranges: ReadonlyMap<string, Range[]>, first: string, last: string): void {
  expect(ranges.size).toBe(8)
  for (const [prefix, [oldest, ...others]] of ranges) {
    expect(Date.parse(oldest!.from), prefix).toBeLessThanOrEqual(Date.parse(first))
    const ends = others.reduce((end, { from, to }) => {
      expect(from, prefix).toBe(end)
      return to
    }, oldest!.to)
    expect(Date.parse(ends), prefix).toBeGreaterThanOrEqual(inDays(last, 8))
  }
}

/** Days before and after the end of a month, the start of a year, and changes of summer time in the zone. */
const spans: [zone: string, ...string[][]][] = [
  ['Europe/Berlin', ['2026-10-24', '2026-10-31'], ['2027-03-27', '2027-03-31']],
  ['America/New_York', ['2026-10-31', '2026-11-01'], ['2026-12-31', '2027-01-01']],
]

it.each(spans)(
  'partitions are days and months in UTC, without gaps, in a database with the time zone %s',
  async (zone, ...spansOfZone) => {
    await setZone(zone)
    for (const days of spansOfZone) {
      await dropAll()
      for (const day of days) {
        await withClient(new pg.Client({ connectionString: url() }), async (client) => {
          expect((await client.query('show timezone')).rows).toEqual([{ TimeZone: zone }])
          await addPartitions(client, new Date(`${day}T00:07:00Z`))
        })
      }
      expectEveryDay(await rangesByPrefix(), days[0]!, days.at(-1)!)
    }
  },
)
