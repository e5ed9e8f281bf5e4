import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callApi, register } from '../call-api.ts'
import { launchMandate, type RunningMandate } from '../mandate-process.ts'
import type { Json } from './middle.ts'

/** A real server with an organization in it, whose owner arranges what edges then meet. */
export interface ControlPlane {
  server: RunningMandate
  ask(method: string, path: string, body?: unknown, status?: number): Promise<Json>
  development: string
  /** The owner's. */
  credential: string
  /** An approved agent in the development environment, held to `policy`. */
  newAgent(policy?: object): Promise<TestAgent>
  stop(): Promise<void>
}

export interface TestAgent {
  id: string
  key: string
  policyId: string
}

type Settings = Record<string, string>

/** Starts a server in a folder of its own. Heartbeats are every second, so that five missed ones are soon over. */
export async function startControlPlane(settings: Settings = {}): Promise<ControlPlane> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mandate-edge-acceptance-'))
  const given = { DATA_DIR: dataDir, MANDATE_HEARTBEAT_SECONDS: '1', MANDATE_AUTH_THROTTLE: 'off', ...settings }
  const server = await launchMandate({ MANDATE_SESSION_RATE: '1000000', ...given })
  const { credential } = await register(server)
  const ask = async (method: string, path: string, body?: unknown, status?: number) => {
    const answer = await callApi(server, method, path, { body, credential })
    const expected = status === undefined ? answer.status < 300 : answer.status === status
    if (!expected) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const { data } = await ask('GET', '/environments')
  const development = data.find(({ slug }: { slug: string }) => slug === 'development').id
  return {
    server,
    ask,
    development,
    credential,
    async newAgent(policy = {}) {
      const { id: policyId } = await ask('POST', '/policies', { name: 'rules', override_mode: 'enforce', ...policy })
      const body = { name: 'agent', environment_id: development, policy_id: policyId }
      const { agent, agent_key: key } = await ask('POST', '/agents', body)
      return { id: agent.id, key, policyId }
    },
    async stop() {
      await server.kill()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

let rules = 0

/** A rule over tools, of a priority of its own. */
export function rule(effect: string, tools: string[], more: object = {}) {
  rules++
  return { name: `${effect} ${tools}`, priority: rules, effect, match: { tools, when: [] }, reason: '', ...more }
}
