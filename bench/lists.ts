// A page of 50 agents with each filter, in a tenant of 2,000 and in one of 200,000: `npm run bench:lists`.
// What is measured is the median time of one request after another over one connection.
import { AgentFilters } from '@mandate/contract/agents'
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

const database = await startDatabase()
const client = new pg.Client({ connectionString: database.embedded.ownerUrl })
await client.connect()
const small = await seedFleet(client, sizes[0])
const large = await seedFleet(client, sizes[1])
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

async function compareAll(): Promise<void> {
  console.log(`median of ${requests} requests, milliseconds`)
  console.log(`| filter | found | ${sizes[0]} agents | ${sizes[1]} agents | growth |\n|---|---|---|---|---|`)
  for (const at of queriesOf(small).keys()) {
    const [name = '', before] = queriesOf(small)[at] ?? []
    const [, after] = queriesOf(large)[at] ?? []
    const times: [number[], number[]] = [[], []]
    let found = 0
    for (let n = -warmUp; n < requests; n++) {
      // In turns, so that whatever else the machine does meets both.
      const [inSmall, inLarge] = [await list(small, before), await list(large, after)]
      found = inLarge.found
      if (n < 0) continue
      times[0].push(inSmall.ms)
      times[1].push(inLarge.ms)
    }
    const [smallMs, largeMs] = times.map(median) as [number, number]
    const growth = largeMs / smallMs
    const cells = [name, found, smallMs.toFixed(2), largeMs.toFixed(2)]
    console.log(`| ${cells.join(' | ')} | ${growth.toFixed(2)}${growth < goal ? '' : ' (!)'} |`)
  }
}

/** Each filter with a usual value, and with one that ten agents of the tenant have, or none. */
function queriesOf(fleet: Fleet): [name: string, query: string][] {
  const queries: [string, string][] = [
    ['none', ''],
    ['governance_state=discovered', 'governance_state=discovered'],
    ['governance_state=suppressed, rare', 'governance_state=suppressed'],
    ['status=active', 'status=active'],
    ['status=suspended, rare', 'status=suspended'],
    ['status=archived, rare', 'status=archived'],
    ['source=github', 'source=github'],
    ['source=snowflake, rare', 'source=snowflake'],
    ['source=m365, none', 'source=m365'],
    ['lifecycle_status=proposed', 'lifecycle_status=proposed'],
    ['lifecycle_status=blocked, rare', 'lifecycle_status=blocked'],
    ['lifecycle_status=retired, none', 'lifecycle_status=retired'],
    ['execution_coverage=unknown', 'execution_coverage=unknown'],
    ['execution_coverage=claimed', 'execution_coverage=claimed'],
    ['execution_coverage=observed', 'execution_coverage=observed'],
    ['execution_coverage=covered', 'execution_coverage=covered'],
    ['execution_coverage=partial, rare', 'execution_coverage=partial'],
    ['execution_coverage=stale, rare', 'execution_coverage=stale'],
    ['search=agent', 'search=agent'],
    ['search=zebra, rare', 'search=zebra'],
    ['search=unicorn, none', 'search=unicorn'],
    ['environment_id', `environment_id=${fleet.environmentId}`],
    ['environment_id, rare', `environment_id=${fleet.rareEnvironmentId}`],
    ['policy_id', `policy_id=${fleet.policyId}`],
    ['policy_id, rare', `policy_id=${fleet.rarePolicyId}`],
    ['status=suspended, search=agent', 'status=suspended&search=agent'],
  ]
  return queries.filter(
    ([name, query]) =>
      (!only || name.includes(only)) &&
      [...new URLSearchParams(query).keys()].every((key) => key in AgentFilters.shape),
  )
}

async function list(fleet: Fleet, query = ''): Promise<{ ms: number; found: number }> {
  const started = performance.now()
  const answer = await fetch(`${url}?${query}`, { headers: { authorization: `Bearer ${fleet.key}` } })
  const body = (await answer.json()) as { data: unknown[] }
  const ms = performance.now() - started
  if (answer.status !== 200) throw new Error(`${query} answered ${answer.status}: ${JSON.stringify(body)}`)
  return { ms, found: body.data.length }
}
