// Compares the API with a minimal server on the same database and machine, in one run: `npm run bench`. Needs `wrk`, and Linux to
// measure CPU time.
import { type ChildProcess, spawn } from 'node:child_process'
import { cpuTimeOf } from './measure/cpu-time.ts'
import { type Request, sendInTurn } from './measure/load.ts'
import { type SeededTenant, seed } from './seed.ts'
import { median, startDatabase, startMandate, untilUp } from './servers/real-server.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
/** Seconds of load before each measurement, so that code is compiled and statements are planned. */
const warmUpSeconds = Number(process.env.BENCH_WARM_UP ?? 15)
const agents = Number(process.env.BENCH_AGENTS ?? 250_000)
/** Runs only the rows whose name contains this text. */
const only = process.env.BENCH_ONLY ?? ''
const [barePort, mandatePort] = [18_081, 18_080]
const bareUrl = `http://127.0.0.1:${barePort}`
const mandateUrl = `http://127.0.0.1:${mandatePort}`

const database = await startDatabase()
const { embedded } = database
console.log(`seeding ${agents} agents in 50 tenants`)
const tenants = await seed(embedded.ownerUrl, 50, agents)
const children = [startBare(), startMandate(database, mandatePort)]
try {
  await Promise.all([untilUp(`${bareUrl}/agents/${tenants[0]?.tenantId}`), untilUp(`${mandateUrl}/healthz`)])
  await compareAll()
} finally {
  for (const child of children) child.kill('SIGKILL')
  await database.stop()
}

interface Run {
  perSecond: number
  /** CPU time per request, in microseconds. */
  node: number
  postgres: number
}

async function compareAll(): Promise<void> {
  console.log(`median of ${rounds} rounds of ${seconds} s, each server warmed up for ${warmUpSeconds} s`)
  console.log('µs of node and PostgreSQL are CPU time per request')
  console.log('| | bare, per second | node | PostgreSQL | mandate, per second | node | PostgreSQL | ratio |')
  console.log('|---|---|---|---|---|---|---|---|')
  const [bareServer, mandateServer] = children as [ChildProcess, ChildProcess]
  for (const [name, bare, mandate] of cases(tenants).filter(([name]) => name.includes(only))) {
    await requireSameFields(name, bare[0] as Request, mandate[0] as Request)
    await sendInTurn(bareUrl, bare, warmUpSeconds)
    await sendInTurn(mandateUrl, mandate, warmUpSeconds)
    const pairs: [Run, Run][] = []
    for (let round = 0; round < rounds; round++) {
      pairs.push([await measure(bareServer, bareUrl, bare), await measure(mandateServer, mandateUrl, mandate)])
    }
    const ratio = median(pairs.map(([ceiling, ours]) => ours.perSecond / ceiling.perSecond))
    const of = (side: 0 | 1, field: keyof Run) => Math.round(median(pairs.map((pair) => pair[side][field])))
    const cells = ([0, 1] as const).flatMap((side) => [of(side, 'perSecond'), of(side, 'node'), of(side, 'postgres')])
    console.log(`| ${[name, ...cells, ratio.toFixed(2)].join(' | ')} |`)
  }
}

/** The ratio says nothing if the servers return different fields. */
async function requireSameFields(name: string, bare: Request, mandate: Request): Promise<void> {
  const [theirs, ours] = await Promise.all([fieldsOf(bareUrl, bare), fieldsOf(mandateUrl, mandate)])
  const missing = ours.filter((field) => !theirs.includes(field))
  const more = theirs.filter((field) => !ours.includes(field))
  if (missing.length + more.length === 0) return
  throw new Error(
    `${name}: bare-server.ts does not return the fields ${missing}, and returns the fields ${more} that the API does not return`,
  )
}

async function fieldsOf(url: string, { method, path, headers, body }: Request): Promise<string[]> {
  const answer = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
  return pathsIn(await answer.json(), '')
}

/** The paths of all fields of an object, without the indexes of arrays. */
function pathsIn(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : pathsIn(value[0], path)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, of]) => [`${path}/${name}`, ...pathsIn(of, `${path}/${name}`)])
}

async function measure(server: ChildProcess, url: string, load: Request[]): Promise<Run> {
  const used = () => ({
    node: cpuTimeOf(server.pid as number, { withChildren: false }),
    postgres: cpuTimeOf(embedded.pid, { withChildren: true }),
  })
  const before = used()
  const { requests, perSecond } = await sendInTurn(url, load, seconds)
  const after = used()
  return {
    perSecond,
    node: (after.node - before.node) / requests,
    postgres: (after.postgres - before.postgres) / requests,
  }
}

function cases(all: SeededTenant[]): [string, Request[], Request[]][] {
  const json = { 'content-type': 'application/json' }
  const both = (bare: (tenant: SeededTenant, index: number) => Omit<Request, 'headers'>, ours: typeof bare) =>
    [bare, ours].map((make) =>
      Array.from({ length: 500 }, (_, index) => {
        const tenant = all[index % all.length] as SeededTenant
        const request = make(tenant, index)
        return { ...request, headers: { authorization: `Bearer ${tenant.key}`, ...(request.body && json) } }
      }),
    ) as unknown as [Request[], Request[]]
  const agentOf = (tenant: SeededTenant, index: number) => tenant.agentIds[index % tenant.agentIds.length]
  const body = ({ environmentId }: SeededTenant) => JSON.stringify({ name: 'made', environment_id: environmentId })
  return [
    [
      'key check',
      ...both(
        () => ({ method: 'GET', path: '/key' }),
        () => ({ method: 'GET', path: '/api/v1/auth/session' }),
      ),
    ],
    [
      'get one agent',
      ...both(
        (tenant, index) => ({ method: 'GET', path: `/agents/${tenant.tenantId}/${agentOf(tenant, index)}` }),
        (tenant, index) => ({ method: 'GET', path: `/api/v1/agents/${agentOf(tenant, index)}` }),
      ),
    ],
    [
      'list 50 agents',
      ...both(
        (tenant) => ({ method: 'GET', path: `/agents/${tenant.tenantId}` }),
        () => ({ method: 'GET', path: '/api/v1/agents' }),
      ),
    ],
    [
      'create an agent, with audit',
      ...both(
        (tenant) => ({ method: 'POST', path: `/agents/${tenant.tenantId}`, body: body(tenant) }),
        (tenant) => ({ method: 'POST', path: '/api/v1/agents', body: body(tenant) }),
      ),
    ],
  ]
}

function startBare(): ChildProcess {
  const script = new URL('./servers/bare-server.ts', import.meta.url).pathname
  return spawn(process.execPath, [script, embedded.ownerUrl, String(barePort)], { stdio: 'inherit' })
}
