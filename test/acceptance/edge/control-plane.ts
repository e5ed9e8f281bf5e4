import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withOwner } from '../../invariants/find-broken.ts'
import { callApi, register } from '../call-api.ts'
import { fillDataFolder, launchMandate, type RunningMandate } from '../mandate-process.ts'
import { type SharedMandate, serverOfRun, settingsOfRun } from '../server-of-run.ts'
import type { Json } from './middle.ts'

/** An organization on a real server. Tests change its agents and policies as the owner. */
export interface Organization {
  server: SharedMandate
  ask(method: string, path: string, body?: unknown, status?: number): Promise<Json>
  development: string
  /** The folder with the database and the logs of the server. */
  dataDir: string
  tenantId: string
  /** The owner's credential. */
  credential: string
  /** Creates an approved agent in the development environment, under `policy`. */
  newAgent(policy?: object): Promise<TestAgent>
}

/** An organization on a server of its own. */
export interface ControlPlane extends Organization {
  server: RunningMandate
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

/** An organization on the server of the run, which other test files use at the same time. Heartbeats are every second. */
export async function joinControlPlane({ plan = 'free' } = {}): Promise<Organization> {
  const server = serverOfRun()
  if (!server) throw new Error('the run has no server; is prepare-data.ts in the globalSetup of this project?')
  const organization = await newOrganization(server)
  if (plan !== 'free') {
    const change = 'update tenants set plan = $2 where id = $1'
    await withOwner(server.dataDir, (client) => client.query(change, [organization.tenantId, plan]))
  }
  return organization
}

/** Starts a server in a temporary folder. Heartbeats are every second. */
export async function startControlPlane(settings: Settings = {}): Promise<ControlPlane> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mandate-edge-acceptance-'))
  await fillDataFolder(dataDir)
  const launch = (more: Settings = {}) => launchMandate({ ...settingsOfRun, DATA_DIR: dataDir, ...settings, ...more })
  const first = await launch()
  const plane: ControlPlane = {
    ...(await newOrganization(first)),
    server: first,
    async crash() {
      await plane.server.kill()
      plane.server = await launch({ PORT: new URL(first.url).port })
    },
    async stop() {
      await plane.server.kill()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return plane
}

async function newOrganization(server: SharedMandate): Promise<Organization> {
  const { credential, tenantId } = await register(server)
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
    dataDir: server.dataDir,
    credential,
    tenantId,
    async newAgent(policy = {}) {
      const { id: policyId } = await ask('POST', '/policies', {
        name: randomUUID(),
        override_mode: 'enforce',
        ...policy,
      })
      const body = { name: 'agent', environment_id: development, policy_id: policyId }
      const { agent, agent_key: key } = await ask('POST', '/agents', body)
      return { id: agent.id, key, policyId }
    },
  }
}

let rules = 0

/** A rule for tools, with a unique priority. */
export function rule(effect: string, tools: string[], more: object = {}) {
  rules++
  return { name: `${effect} ${tools}`, priority: rules, effect, match: { tools, when: [] }, reason: '', ...more }
}
