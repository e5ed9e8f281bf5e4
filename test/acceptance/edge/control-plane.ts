import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callApi, register } from '../call-api.ts'
import { fillDataFolder, launchMandate, type RunningMandate } from '../mandate-process.ts'
import type { Json } from './middle.ts'

/** A real server with an organization. Tests change its agents and policies as the owner. */
export interface ControlPlane {
  server: RunningMandate
  ask(method: string, path: string, body?: unknown, status?: number): Promise<Json>
  development: string
  /** The folder with the database and the logs of the server. */
  dataDir: string
  /** The owner's credential. */
  credential: string
  /** Creates an approved agent in the development environment, under `policy`. */
  newAgent(policy?: object): Promise<TestAgent>
  /** Kills the server with SIGKILL. Then starts it again at the same address. */
  crash(): Promise<void>
  stop(): Promise<void>
}

export interface TestAgent {
  id: string
  key: string
  policyId: string
}

type Settings = Record<string, string>

/** Starts a server in a temporary folder. Heartbeats are every second, so that five missed heartbeats pass quickly. */
export async function startControlPlane(settings: Settings = {}): Promise<ControlPlane> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mandate-edge-acceptance-'))
  await fillDataFolder(dataDir)
  const given = { DATA_DIR: dataDir, MANDATE_HEARTBEAT_SECONDS: '1', MANDATE_AUTH_THROTTLE: 'off', ...settings }
  const launch = (more: Settings = {}) => launchMandate({ MANDATE_SESSION_RATE: '1000000', ...given, ...more })
  const server = await launch()
  const { credential } = await register(server)
  const ask = async (method: string, path: string, body?: unknown, status?: number) => {
    const answer = await callApi(server, method, path, { body, credential })
    const expected = status === undefined ? answer.status < 300 : answer.status === status
    if (!expected) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const { data } = await ask('GET', '/environments')
  const development = data.find(({ slug }: { slug: string }) => slug === 'development').id
  const plane: ControlPlane = {
    server,
    ask,
    development,
    dataDir,
    credential,
    async newAgent(policy = {}) {
      const { id: policyId } = await ask('POST', '/policies', { name: 'rules', override_mode: 'enforce', ...policy })
      const body = { name: 'agent', environment_id: development, policy_id: policyId }
      const { agent, agent_key: key } = await ask('POST', '/agents', body)
      return { id: agent.id, key, policyId }
    },
    async crash() {
      await plane.server.kill()
      plane.server = await launch({ PORT: new URL(server.url).port })
    },
    async stop() {
      await plane.server.kill()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return plane
}

let rules = 0

/** A rule for tools, with a unique priority. */
export function rule(effect: string, tools: string[], more: object = {}) {
  rules++
  return { name: `${effect} ${tools}`, priority: rules, effect, match: { tools, when: [] }, reason: '', ...more }
}
