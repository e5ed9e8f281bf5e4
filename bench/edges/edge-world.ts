import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { readEdgeConfig } from '../../packages/edge/src/config.ts'
import { type Edge, startEdge } from '../../packages/edge/src/start-edge.ts'
import { cpuTimeOf } from '../measure/cpu-time.ts'

// biome-ignore lint/suspicious/noExplicitAny: benchmarks read any field of a response
type Json = any

export interface BenchAgent {
  id: string
  key: string
}

/** A real server with an organization, for benchmarks of edges. */
export interface EdgeWorld {
  /** Address of the server. */
  url: string
  call(method: string, path: string, body?: unknown): Promise<Json>
  newAgent(policyId: string): Promise<BenchAgent>
  newEdge(agent: BenchAgent, settings?: Record<string, string>): Promise<Edge>
  /** CPU time that the node process of the server and its PostgreSQL have used, in milliseconds. */
  cpuMs(): { node: number; postgres: number }
  stop(): Promise<void>
}

export async function startEdgeWorld(settings: Record<string, string> = {}): Promise<EdgeWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-edge-bench-'))
  const server = startServer(join(folder, 'server'), settings)
  const url = await urlOf(server)
  const registered = await request(url, undefined, 'POST', '/auth/register', {
    email: 'bench@example.com',
    password: randomBytes(16).toString('hex'),
    organization: 'bench',
  })
  const call = (method: string, path: string, body?: unknown) =>
    request(url, registered.session.access_token, method, path, body)
  const { data } = await call('GET', '/environments')
  const environment = data.find(({ slug }: Json) => slug === 'development').id
  const postgres = Number.parseInt(await readFile(join(folder, 'server/pg/postmaster.pid'), 'utf8'), 10)
  let edges = 0
  return {
    url,
    call,
    async newAgent(policy_id) {
      const { agent, agent_key } = await call('POST', '/agents', {
        name: 'bench',
        environment_id: environment,
        policy_id,
      })
      return { id: agent.id, key: agent_key }
    },
    async newEdge({ id, key }, more = {}) {
      const state = join(folder, `edge-${edges++}`)
      const given = { MANDATE_URL: url, MANDATE_EDGE_KEY: key, MANDATE_EDGE_AGENTS: id, MANDATE_EDGE_STATE: state }
      return await startEdge(readEdgeConfig({ ...given, ...more }, {}), pino({ level: 'error' }))
    },
    cpuMs: () => ({
      node: cpuTimeOf(server.pid as number, { withChildren: false }) / 1000,
      postgres: cpuTimeOf(postgres, { withChildren: true }) / 1000,
    }),
    async stop() {
      server.kill('SIGTERM')
      await new Promise((resolve) => server.once('exit', resolve))
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function startServer(dataDir: string, settings: Record<string, string>): ChildProcess {
  const main = new URL('../../packages/cli/src/main.ts', import.meta.url).pathname
  const rates = { MANDATE_SESSION_RATE: '1000000000', MANDATE_AUTH_THROTTLE: 'off' }
  // All edges of a benchmark have the same address. The server must not close their connections because they are many.
  const connections = { MANDATE_UNAUTHENTICATED_PER_CLIENT: '1000000' }
  const env = { ...process.env, DATA_DIR: dataDir, PORT: '0', ...rates, ...connections, ...settings }
  return spawn(process.execPath, [main, 'up'], { stdio: ['ignore', 'pipe', 'inherit'], env })
}

function urlOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    server.stdout?.on('data', (chunk) => {
      if (output === 'up') return
      output += chunk
      const found = /"url":"(http:[^"]+)"[^\n]*"msg":"listening"/.exec(output)?.[1]
      if (!found) return
      output = 'up'
      resolve(found)
    })
    server.once('exit', () => reject(new Error(`the server exited:\n${output}`)))
  })
}

async function request(
  url: string,
  token: string | undefined,
  method: string,
  path: string,
  body?: unknown,
): Promise<Json> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${method} ${path} returned status ${response.status}: ${JSON.stringify(answer)}`)
  return answer
}

/** The quantile of the values. `part` is from 0 to 1. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
