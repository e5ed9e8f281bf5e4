import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canonicalJson } from '@mandate/proofs/canonical'
import { delegationToken } from '@mandate/proofs/delegation-token'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../src/carry/freshness.ts'
import { SigningKeys } from '../../src/carry/signing-keys.ts'
import { type Asked, type ControlPlane, ControlPlaneAway } from '../../src/control-plane/control-plane.ts'
import { Delegations } from '../../src/delegations/delegations.ts'
import { EndedKnowledge } from '../../src/delegations/ended-delegations.ts'
import { StateSeal } from '../../src/state/state-seal.ts'

export const hourMs = 3_600_000
export const planeStartMs = Date.parse('2026-03-02T08:00:00.000Z')
export const ids = {
  tenant: '01890000-0000-7000-8000-000000000001',
  environment: '01890000-0000-7000-8000-000000000002',
  user: '01890000-0000-7000-8000-000000000003',
  first: '01890000-0000-7000-8000-000000000011',
  second: '01890000-0000-7000-8000-000000000012',
  orchestrator: '01890000-0000-7000-8000-000000000021',
  agent: '6f0f4b7e-9d0c-4f55-8a53-0c1f8a4f8b11',
}
const trusted = generateKeyPairSync('ed25519')
export const stranger = generateKeyPairSync('ed25519').privateKey
const pem = trusted.publicKey.export({ type: 'spki', format: 'pem' }).toString()

export const at = (ms: number) => new Date(planeStartMs + ms).toISOString()

export function signed(document: object, key: KeyObject = trusted.privateKey): Record<string, unknown> {
  const signature = sign(null, Buffer.from(canonicalJson(document)), key).toString('base64')
  return { ...document, signature }
}

const link = (id: string, agent: string, tools: string[], expires_at = at(hourMs)) => ({
  id,
  agent: { id: agent, name: `agent ${agent.slice(-2)}` },
  tools,
  expires_at,
})

/** A chain from a user over an agent to the agent of the edge. */
export const document = (changed: object = {}) => ({
  purpose: 'delegation',
  tenant_id: ids.tenant,
  environment_id: ids.environment,
  id: ids.second,
  subject: { type: 'user', id: ids.user, name: 'Ana' },
  links: [
    link(ids.first, ids.orchestrator, ['mcp:files/*'], at(2 * hourMs)),
    link(ids.second, ids.agent, ['mcp:files/read*', 'mcp:files/list']),
  ],
  issued_at: at(0),
  ...changed,
})

export const tokenOf = (changed: object = {}, key?: KeyObject) => delegationToken(signed(document(changed), key))
export const links = { link }

/** An edge whose control plane has a clock of its own, and a list of ended delegations. */
export async function startWorld() {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-delegations-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const plane = {
    nowMs: planeStartMs,
    isAway: false,
    list: { version: 1, ended: [] as { id: string; expires_at: string; in: number }[] },
    answer: (body: Record<string, unknown>): unknown => body,
    asked: [] as string[],
  }
  const machine = { wallMs: 0, monotonicMs: 0 }
  const control: ControlPlane = {
    async ask({ path }: Asked) {
      if (plane.isAway) throw new ControlPlaneAway('gone')
      plane.asked.push(path)
      if (path === '/edge/signing-key') return { status: 200, body: { keys: [{ kid: '1', public_key_pem: pem }] } }
      const since = Number(new URLSearchParams(path.split('?')[1]).get('since') ?? 0)
      const known = since > plane.list.version ? 0 : since
      const fields = {
        purpose: 'ended_delegations',
        tenant_id: ids.tenant,
        environment_id: ids.environment,
        version: plane.list.version,
        since: known,
        ended: plane.list.ended.filter((one) => one.in > known).map(({ id, expires_at }) => ({ id, expires_at })),
        issued_at: new Date(plane.nowMs).toISOString(),
      }
      return { status: 200, body: plane.answer(signed(fields)) }
    },
  }
  const clock: Clock = () => ({ ...machine })
  const seal = new StateSeal('ek_test')
  const keys = await SigningKeys.open(folder, control, undefined, seal)
  const instance = { intervalMs: 30_000, delegations: null as never }
  const start = async (seats: { seat?: string; otherSeats?: string[] } = {}) => {
    const log = pino({ level: 'silent' })
    const parts = { plane: control, keys, seal, seat: folder, ...seats, instance, missedBeats: 5, clock, log }
    const placed = { tenantId: () => ids.tenant, environmentId: () => ids.environment }
    const ended = new EndedKnowledge({ ...parts, ...placed })
    onTestFinished(() => ended.close())
    await ended.load()
    const delegations = new Delegations({ keys, ended, now: () => machine.monotonicMs })
    return { ended, delegations }
  }
  const pass = (ms: number) => {
    machine.wallMs += ms
    machine.monotonicMs += ms
    plane.nowMs += ms
  }
  return {
    folder,
    keys,
    control,
    plane,
    machine,
    clock,
    start,
    pass,
    /** Ends a delegation in a new version of the list. */
    end(id: string) {
      plane.list.version++
      plane.list.ended.push({ id, expires_at: at(2 * hourMs), in: plane.list.version })
    },
    /** A heartbeat of the edge. */
    beat: (ended: EndedKnowledge) =>
      ended.followHeartbeat({ version: plane.list.version, at: new Date(plane.nowMs).toISOString() }, { ...machine }),
  }
}

export const call = {
  agentId: ids.agent,
  tenantId: ids.tenant,
  environmentId: ids.environment,
  tools: ['mcp:files/read_text'],
}
