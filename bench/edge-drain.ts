// Measures how fast an edge sends the decisions that it recorded during an outage of the control plane: `node bench/edge-drain.ts`. The
// server, PostgreSQL, the edge and the proxy that causes the outage run on the same machine. Needs Linux to read the memory of the edge.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startDrainProxy } from './edges/drain-proxy.ts'
import { cpuTimeOf } from './measure/cpu-time.ts'
import { startDatabase, startMandate, untilUp } from './servers/real-server.ts'

const decisions = Number(process.env.BENCH_DECISIONS ?? 1_000_000)
const port = 18_084
const server = `http://127.0.0.1:${port}`

const database = await startDatabase({ max_wal_size: '4GB' })
const client = new pg.Client({ connectionString: database.embedded.ownerUrl })
await client.connect()
const mandate = startMandate(database, port)
const state = await mkdtemp(join(tmpdir(), 'mandate-drain-'))
try {
  await untilUp(`${server}/readyz`)
  await measure(await newAgent())
} finally {
  await client.end()
  mandate.kill('SIGKILL')
  await database.stop()
  await rm(state, { recursive: true, force: true })
}

async function measure(agent: { id: string; key: string }): Promise<void> {
  const proxy = await startDrainProxy(server)
  const settings = {
    MANDATE_URL: proxy.url,
    MANDATE_EDGE_KEY: agent.key,
    MANDATE_EDGE_AGENTS: agent.id,
    MANDATE_EDGE_STATE: state,
    MANDATE_EDGE_SPOOL_MB: '100000',
  }
  const filling = startEdgeProcess({ ...settings, FILL: String(decisions) })
  await said(filling, 'started')
  await until(async () => (await storedKeys()) > 0)
  proxy.isDown = true
  filling.stdin?.write('fill\n')
  await said(filling, 'filled')
  await end(filling)
  console.error(`${decisions} decisions are in the spool: ${Math.round((await spoolBytes()) / 1_048_576)} MiB`)
  // A new process, so that its peak of memory is that of the start with a full spool, the outage and the drain.
  const draining = startEdgeProcess(settings)
  await said(draining, 'started')
  const startRss = rssOf(draining)
  await new Promise((resolve) => setTimeout(resolve, 20_000))
  const before = cpuTimes(draining)
  proxy.isDown = false
  const backAt = performance.now()
  await until(
    async () => proxy.batches > 0 && performance.now() - proxy.lastBatchAt > 2_000 && (await stored()) >= decisions,
  )
  const seconds = (proxy.lastBatchAt - proxy.firstBatchAt) / 1000
  const row = {
    decisions: await stored(),
    batches: proxy.batches,
    'first batch after s': ((proxy.firstBatchAt - backAt) / 1000).toFixed(1),
    'drained in s': seconds.toFixed(1),
    'decisions a second': Math.round(decisions / seconds).toLocaleString('en'),
    ...cpuEach(before, cpuTimes(draining)),
    'RSS at start': `${startRss} MiB`,
    'peak RSS': `${rssOf(draining)} MiB`,
  }
  console.log(
    `| ${Object.keys(row).join(' | ')} |\n|${'---|'.repeat(Object.keys(row).length)}\n| ${Object.values(row).join(' | ')} |`,
  )
  await end(draining)
  proxy.stop()
}

function cpuTimes(edge: ChildProcess) {
  return {
    edge: cpuTimeOf(edge.pid!, { withChildren: false }),
    server: cpuTimeOf(mandate.pid!, { withChildren: false }),
    PostgreSQL: cpuTimeOf(database.embedded.pid, { withChildren: true }),
  }
}

/** The CPU time for each decision, in µs. It hardly depends on other programs on the machine. */
function cpuEach(before: ReturnType<typeof cpuTimes>, after: ReturnType<typeof cpuTimes>) {
  const names = Object.keys(before) as (keyof typeof before)[]
  return Object.fromEntries(
    names.map((name) => [`${name}, µs each`, Math.round((after[name] - before[name]) / decisions)]),
  )
}

function startEdgeProcess(settings: Record<string, string>): ChildProcess {
  const file = new URL('./edges/drain-edge.ts', import.meta.url).pathname
  return spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...settings } })
}

function said(edge: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    edge.once('exit', (code) => reject(new Error(`the edge ended with code ${code}`)))
    edge.stdout?.on('data', (chunk) => String(chunk).includes(word) && resolve())
  })
}

async function end(edge: ChildProcess): Promise<void> {
  edge.removeAllListeners('exit')
  edge.stdin?.end()
  await once(edge, 'exit')
}

/** The peak of the resident memory of a process so far, in MiB. */
function rssOf({ pid }: ChildProcess): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round(Number(line?.[1]) / 1024)
}

async function spoolBytes(): Promise<number> {
  const files = await readdir(state, { recursive: true })
  const sizes = await Promise.all(
    files.filter((file) => file.includes('spool/')).map((file) => stat(join(state, file))),
  )
  return sizes.reduce((sum, { size }) => sum + size, 0)
}

async function stored(): Promise<number> {
  return Number((await client.query('select count(*) from decision_records')).rows[0].count)
}

async function storedKeys(): Promise<number> {
  return Number((await client.query('select count(*) from edge_keys')).rows[0].count)
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 500))
}

async function newAgent(): Promise<{ id: string; key: string }> {
  const post = async (path: string, body: object, token?: string) => {
    const response = await fetch(`${server}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`POST ${path} returned status ${response.status}: ${await response.text()}`)
    // biome-ignore lint/suspicious/noExplicitAny: benchmarks read any field of a response
    return (await response.json()) as any
  }
  const account = { email: 'bench@example.com', password: 'a long pass phrase', organization: 'bench' }
  const { session } = await post('/auth/register', account)
  const rules = [{ name: 'files', priority: 1, effect: 'allow', match: { tools: ['mcp:files/*'] } }]
  const policy = await post('/policies', { name: 'bench', override_mode: 'enforce', rules }, session.access_token)
  const { rows } = await client.query("select id from environments where slug = 'development'")
  const agent = { name: 'bench', environment_id: rows[0].id, policy_id: policy.id }
  const { agent: made, agent_key } = await post('/agents', agent, session.access_token)
  return { id: made.id, key: agent_key }
}
