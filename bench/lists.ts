// A page of 50 agents with each filter, in a tenant of 2,000 and in one of 200,000: `npm run bench:lists`.
// What is measured is the median time of one request after another over one connection.
import pg from 'pg'
import { median, startDatabase, startMandate, untilUp } from './real-server.ts'
import { type Fleet, seedFleet } from './seed-fleet.ts'

const sizes = [2_000, Number(process.env.BENCH_AGENTS ?? 200_000)] as const
const requests = Number(process.env.BENCH_REQUESTS ?? 60)
const warmUp = 12
const only = process.env.BENCH_ONLY
const goal = 1.3
const port = 18_082
const url = `http://127.0.0.1:${port}/api/v1/agents`

interface Case {
  name: string
  query: string
  key?: 'key' | 'boundKey' | 'rareBoundKey' | 'scopedKey'
  /** Asked of the fleet of whose agents there is hardly any evidence. */
  quiet?: boolean
}

const asked = (query: string, note = ''): Case => ({ name: query + note, query })
const [rare, none] = [', rare', ', none']

/** Each filter with a usual value, and with one that ten agents of the tenant have, or none; then filters together. */
const cases: Case[] = [
  { name: 'no filter', query: '' },
  asked('governance_state=discovered'),
  asked('governance_state=suppressed', rare),
  asked('status=active'),
  asked('status=suspended', rare),
  asked('status=archived', rare),
  asked('source=github'),
  asked('source=snowflake', rare),
  asked('source=m365', none),
  asked('lifecycle_status=proposed'),
  asked('lifecycle_status=blocked', rare),
  asked('lifecycle_status=retired', none),
  { ...asked('execution_coverage=unknown'), quiet: true },
  asked('execution_coverage=unknown', rare),
  ...['claimed', 'observed', 'covered'].flatMap((state) => [
    asked(`execution_coverage=${state}`),
    { ...asked(`execution_coverage=${state}`, rare), quiet: true },
  ]),
  asked('execution_coverage=partial', rare),
  asked('execution_coverage=stale', rare),
  asked('search=agent'),
  asked('search=panda', ', one in 25'),
  asked('search=lynx', ', one in 100'),
  // The small tenant has 20 of these.
  asked('search=lynx&page_size=20', ', one in 100'),
  asked('search=zebra', rare),
  asked('search=unicorn', none),
  asked('search=t'),
  asked('search=z', rare),
  asked('search=zq', none),
  asked('status=active&search=zebra', rare),
  asked('status=suspended&search=agent', rare),
  asked('execution_coverage=covered&search=zebra', rare),
  asked('execution_coverage=stale&search=agent', rare),
  asked('execution_coverage=stale&status=active', rare),
  asked('status=active&lifecycle_status=approved'),
  asked('status=active&lifecycle_status=blocked', rare),
  asked('source=m365&status=active', none),
  { name: 'bound key', query: '', key: 'boundKey' },
  { name: 'bound key, rare', query: '', key: 'rareBoundKey' },
  { name: 'bound key, status=suspended, rare', query: 'status=suspended', key: 'boundKey' },
  { name: 'bound key, search=zebra, rare', query: 'search=zebra', key: 'boundKey' },
  { name: 'bound key, rare, status=active', query: 'status=active', key: 'rareBoundKey' },
  { name: 'scoped user, rare', query: '', key: 'scopedKey' },
  { name: 'scoped user, rare, status=active', query: 'status=active', key: 'scopedKey' },
  { name: 'scoped user, rare, search=agent', query: 'search=agent', key: 'scopedKey' },
]

const database = await startDatabase()
const client = new pg.Client({ connectionString: database.embedded.ownerUrl })
await client.connect()
const fleets = await seedFleets({ quiet: false })
const quietFleets = await seedFleets({ quiet: true })
await client.query('vacuum analyze')
await client.end()
const server = startMandate(database, port)
try {
  await untilUp(`http://127.0.0.1:${port}/readyz`)
  await compareAll()
} finally {
  server.kill('SIGKILL')
  await database.stop()
}

async function seedFleets(options: { quiet: boolean }): Promise<readonly [Fleet, Fleet]> {
  return [await seedFleet(client, sizes[0], options), await seedFleet(client, sizes[1], options)]
}

async function compareAll(): Promise<void> {
  console.log(`median of ${requests} requests, milliseconds`)
  console.log(`| filter | found | ${sizes[0]} agents | ${sizes[1]} agents | growth |\n|---|---|---|---|---|`)
  for (const one of cases.filter(({ name }) => !only || name.includes(only))) console.log(await compare(one))
}

async function compare({ name, query, key = 'key', quiet = false }: Case): Promise<string> {
  const [small, large] = quiet ? quietFleets : fleets
  const times: [number[], number[]] = [[], []]
  let found = 0
  for (let n = -warmUp; n < requests; n++) {
    // In turns, so that whatever else the machine does meets both.
    const [inSmall, inLarge] = [await list(small[key], query), await list(large[key], query)]
    found = inLarge.found
    if (n < 0) continue
    times[0].push(inSmall.ms)
    times[1].push(inLarge.ms)
  }
  const [smallMs, largeMs] = times.map(median) as [number, number]
  const growth = largeMs / smallMs
  const cells = [name, found, smallMs.toFixed(2), largeMs.toFixed(2)]
  return `| ${cells.join(' | ')} | ${growth.toFixed(2)}${growth < goal ? '' : ' (!)'} |`
}

async function list(key: string, query: string): Promise<{ ms: number; found: number }> {
  const started = performance.now()
  const answer = await fetch(`${url}?${query}`, { headers: { authorization: `Bearer ${key}` } })
  const body = (await answer.json()) as { data: unknown[] }
  const ms = performance.now() - started
  if (answer.status !== 200) throw new Error(`${query} answered ${answer.status}: ${JSON.stringify(body)}`)
  return { ms, found: body.data.length }
}
