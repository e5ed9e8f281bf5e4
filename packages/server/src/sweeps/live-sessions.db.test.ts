import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { endpoints, type OperationId } from '@mandate/contract/endpoints'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { useTestServer } from '../testing/use-test-server.ts'
import { callEndpoint } from './call-endpoint.ts'
import { exampleBodies } from './examples.ts'
import { fingerprint } from './fingerprint.ts'
import { sweptEndpoints } from './swept-endpoints.ts'
import { createWorld, giveScopedUsersAccess } from './world.ts'

const server = useTestServer()

const all = Object.entries(endpoints) as [OperationId, Endpoint][]
const flagged = sweptEndpoints.filter(([, { liveSession }]) => liveSession)
const changesOfMembers = all.filter(([, { method, access }]) => access.by === 'role' && method !== 'GET')

const governed = 'changes governed data, and gives no one a credential or a right'
const ends = 'only removes data or rights'
const computes = 'stores nothing'

/** Changes that a signed-in person can make and that create no credential. Each has the reason. */
const leaveNoCredential: Partial<Record<OperationId, string>> = {
  signOut: ends,
  startAuditVerification: 'starts a job that only reads the trail',
  requestVerification: 'mails a link that works only together with a live session',
  updateAgent: governed,
  archiveAgent: ends,
  assignPolicy: governed,
  changeAgents: governed,
  changeLifecycle: governed,
  suppressAgent: governed,
  suspendAgent: governed,
  resumeAgent: governed,
  createFreeze: governed,
  liftFreeze: governed,
  revokeApiKey: ends,
  resolveApproval: governed,
  revokeEdge: ends,
  revokeDelegation: ends,
  createEnvironment: governed,
  updateEnvironment: governed,
  deleteEnvironment: ends,
  deleteCredential: ends,
  disconnectPlatform: ends,
  syncPlatform: governed,
  createPolicy: governed,
  updatePolicy: governed,
  deletePolicy: ends,
  replacePolicy: governed,
  createRule: governed,
  updateRule: governed,
  deleteRule: ends,
  restorePolicyVersion: governed,
  validatePolicy: computes,
  simulatePolicy: computes,
  testContentPatterns: computes,
  pinTool: governed,
  unpinTool: governed,
  blockTool: governed,
  unblockTool: governed,
  labelTool: governed,
  createContentPattern: governed,
  updateContentPattern: governed,
  deleteContentPattern: governed,
  replaceContentBindings: governed,
  createReport: governed,
  deleteReport: ends,
  revokeShareLink: ends,
  resolveReview: governed,
  acceptFinding: governed,
  openReview: governed,
  deleteTenant: ends,
  setGovernanceGate: governed,
  removeUser: ends,
  removeMyself: ends,
  revokeGrant: ends,
  revokeEnvironmentAccess: ends,
}

const secretField = /^(?:raw_key|\w+_key|secret|\w*token|recovery_codes|url)$/

function answersSecret({ answers }: Endpoint): boolean {
  return Object.values(answers).some((answer) => {
    if (!(answer instanceof z.ZodObject)) return false
    return Object.keys(answer.shape).some((field) => secretField.test(field) && !field.startsWith('public'))
  })
}

describe('changes that outlast a session need a session that has not ended', () => {
  it('every change by a person declares liveSession, or is listed with the reason why not', () => {
    expect(changesOfMembers.length).toBeGreaterThan(40)
    const undeclared = changesOfMembers.filter(([id, { liveSession }]) => !liveSession && !leaveNoCredential[id])
    expect(undeclared.map(([id]) => id)).toEqual([])
  })

  it('every listed change exists and does not declare liveSession', () => {
    const known = new Set(changesOfMembers.filter(([, { liveSession }]) => !liveSession).map(([id]) => id as string))
    expect(Object.keys(leaveNoCredential).filter((id) => !known.has(id))).toEqual([])
  })

  it('every endpoint for people that returns a secret declares liveSession', () => {
    const answering = all.filter(([, endpoint]) => endpoint.access.by === 'role' && answersSecret(endpoint))
    expect(answering.map(([id]) => id)).toEqual(
      expect.arrayContaining([
        'createApiKey',
        'createAgent',
        'rotateAgentKey',
        'createEdge',
        'shareReport',
        'startTotp',
      ]),
    )
    expect(answering.filter(([, { liveSession, method }]) => !liveSession && method !== 'GET')).toEqual([])
  })

  it.each(flagged)(
    '%s is 401 for a session that was revoked or has expired, and writes nothing',
    async (id, endpoint) => {
      const world = await createWorld(server)
      await giveScopedUsersAccess(server, world)
      const body = endpoint.body && exampleBodies[id]?.(world)
      const options = {
        params: world.ids,
        body,
        ...(body !== undefined && { headers: { 'content-type': 'application/json' } }),
      }
      const { accountId } = world.tenant.owner
      const end = (column: 'revoked_at' | 'expires_at', at: string) =>
        server.owner.query(`update sessions set ${column} = ${at} where account_id = $1`, [accountId])
      for (const [column, now, back] of [
        ['revoked_at', 'now()', 'null'],
        ['expires_at', 'now()', "now() + interval '1 hour'"],
      ] as const) {
        await end(column, now)
        const before = await fingerprint(server, [world.tenant.id])
        const answer = await callEndpoint(world, endpoint, 'owner', options)
        expect(answer).toMatchObject({ status: 401, body: { error: 'this session has ended; sign in again' } })
        expect(await fingerprint(server, [world.tenant.id])).toBe(before)
        await end(column, back)
      }
      const alive = await callEndpoint(world, endpoint, 'owner', options)
      expect(alive.body?.error).not.toBe('this session has ended; sign in again')
    },
  )
})
