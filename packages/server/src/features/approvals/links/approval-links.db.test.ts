import { randomUUID } from 'node:crypto'
import type { Approval } from '@mandate/contract/approvals'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '../../../http/create-app.ts'
import { digest } from '../../../security/credentials.ts'
import { fingerprint } from '../../../sweeps/fingerprint.ts'
import { addPerson, auditEntries, type TestPerson } from '../../../testing/arrange.ts'
import { tokenMailedTo } from '../../../testing/mail-box.ts'
import { startTestServer, type TestServer } from '../../../testing/start-test-server.ts'
import { readableTime } from '../../../text/readable-time.ts'
import { routes } from '../../routes.ts'
import { addPendingCall, createScene, passTime, type Scene } from '../testing/held-calls.ts'

let server: TestServer
let scene: Scene
let manager: TestPerson

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())
beforeEach(async () => {
  scene = await createScene(server)
  manager = await addPerson(server, scene.tenant.id, { role: 'manager', displayName: 'Mo Manager' })
})

async function open(token: string, { method = 'GET', from = server } = {}) {
  const response = await fetch(`${from.url}/approve?token=${encodeURIComponent(token)}`, { method })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

async function decide(token: string, outcome = 'approved', rest: Record<string, string> = {}, from = server) {
  const body = new URLSearchParams({ token, outcome, ...rest })
  const response = await fetch(`${from.url}/approve`, { method: 'POST', body })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const statusOf = async ({ id }: Approval) => (await scene.edge.get(`/edge/approvals/${id}`)).body.status
const setUser = (id: string, change: string) => server.owner.query(`update users set ${change} where id = $1`, [id])

/** Expects that GET and POST return the page for a link that does not work. */
async function expectGone(token: string) {
  const unknown = await open('unknown')
  for (const answer of [await open(token), await decide(token), await decide(token, 'rejected')]) {
    expect([answer.status, answer.text]).toEqual([410, unknown.text])
  }
}

describe('the page', () => {
  it('shows agent, tool, arguments, policy, rule, reason, expiry, and the person who decides', async () => {
    const unknown = { policy_id: randomUUID(), policy_version: 3 }
    const held = await addPendingCall(scene, { ...unknown, arguments: { path: '/var/<b>' }, rule_name: 'ask & wait' })
    const { status, text, headers } = await open(await tokenMailedTo(server, manager.email))
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    for (const shown of [
      held.agent_name,
      held.tool,
      '&quot;path&quot;: &quot;/var/&lt;b&gt;&quot;',
      held.policy_id,
      'version 3',
      'ask &amp; wait',
      held.reason,
      readableTime(held.expires_at),
      held.args_digest,
      `Mo Manager (${manager.email})`,
    ]) {
      expect(text).toContain(shown)
    }
    expect(text).not.toContain('<b>')
  })

  it('shows the policy’s name if the policy exists', async () => {
    const { body: policy } = await scene.tenant.owner.api.post('/policies', { name: 'Careful files', rules: [] })
    await addPendingCall(scene, { policy_id: policy.id })
    expect((await open(await tokenMailedTo(server, manager.email))).text).toContain('Careful files, version 1')
  })

  it('has no script, loads nothing, is not cached, and sends no referrer', async () => {
    await addPendingCall(scene)
    const token = await tokenMailedTo(server, manager.email)
    for (const { headers, text } of [await open(token), await open('unknown'), await decide(token)]) {
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
      )
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('x-robots-tag')).toContain('noindex')
      expect(text).not.toMatch(/<script|<img|<link|https?:|\son\w+=/i)
    }
  })

  it('opening it changes nothing, with GET or HEAD, however often', async () => {
    const held = await addPendingCall(scene)
    const token = await tokenMailedTo(server, manager.email)
    const before = await fingerprint(server, [scene.tenant.id])
    for (const method of ['GET', 'HEAD', 'GET', 'HEAD']) {
      const { status, text } = await open(token, { method })
      expect([status, text === '']).toEqual([200, method === 'HEAD'])
    }
    expect(await fingerprint(server, [scene.tenant.id])).toBe(before)
    expect(await statusOf(held)).toBe('pending')
  })
})

describe('resolving by a link', () => {
  it.each(['approved', 'rejected'] as const)(
    '%s as the person that the link was mailed to, with a comment',
    async (outcome) => {
      const held = await addPendingCall(scene)
      const { status, text } = await decide(await tokenMailedTo(server, manager.email), outcome, {
        comment: 'seen\r\nit',
      })
      expect([status, text]).toEqual([200, expect.stringContaining(outcome)])
      const { body } = await scene.tenant.owner.api.get(`/approvals/${held.id}`)
      expect(body).toMatchObject({ status: outcome, resolved_by: manager.id, comment: 'seen\nit' })
      const entry = (await auditEntries(server, scene.tenant.id)).at(-1)
      expect(entry).toMatchObject({
        event_type: 'approval.resolved',
        actor_type: 'person',
        actor_user_id: manager.id,
        api_key_id: null,
        details: { outcome, via: 'mail_link' },
      })
    },
  )

  it('an empty comment, as a form sends it, is no comment', async () => {
    const { id } = await addPendingCall(scene)
    await decide(await tokenMailedTo(server, manager.email), 'approved', { comment: '' })
    expect((await scene.tenant.owner.api.get(`/approvals/${id}`)).body.comment).toBeNull()
  })

  it('400 for an unknown outcome, and nothing is resolved', async () => {
    const held = await addPendingCall(scene)
    expect((await decide(await tokenMailedTo(server, manager.email), 'consumed')).status).toBe(400)
    expect(await statusOf(held)).toBe('pending')
  })

  it('malformed forms resolve nothing and never cause a 5xx', async () => {
    const held = await addPendingCall(scene)
    const token = await tokenMailedTo(server, manager.email)
    for (const body of [
      '',
      'token',
      `token=${token}`,
      `token=${token}&outcome=approved&comment=%00`,
      `token=${token}&outcome=approved&comment=${'x'.repeat(2001)}`,
      `token=${token}&token=%ff%00&outcome=approved`,
      `token=${'%F0%9F%98%80'.repeat(1000)}&outcome=approved`,
      `token=${'%F0%9F%98%80'.repeat(5000)}&outcome=approved`,
      'token&'.repeat(2000),
    ]) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const { status } = await fetch(`${server.url}/approve`, { method: 'POST', body, headers })
      expect([400, 410, 413], body.slice(0, 80)).toContain(status)
    }
    const json = JSON.stringify({ token, outcome: 'approved' })
    expect((await fetch(`${server.url}/approve`, { method: 'POST', body: json })).status).toBe(415)
    expect(await statusOf(held)).toBe('pending')
  })

  it('a used link, and a link of an approval that is already resolved, show the page of an unknown link', async () => {
    await addPendingCall(scene)
    const [own, others] = [
      await tokenMailedTo(server, manager.email),
      await tokenMailedTo(server, scene.tenant.owner.email),
    ]
    expect((await decide(own)).status).toBe(200)
    await expectGone(own)
    await expectGone(others)
  })

  it.each(['approved', 'rejected'])('once %s, no data of the links is left in the database', async (outcome) => {
    const { id } = await addPendingCall(scene)
    await scene.tenant.owner.api.post(`/approvals/${id}/resolve`, { outcome })
    const left = `select id from credential_lookup where id = $1 union all
      select approval_id from approval_links where approval_id = $1`
    expect((await server.owner.query(left, [id])).rows).toEqual([])
  })

  it('of eight concurrent uses of a link, one resolves the approval', async () => {
    const { id } = await addPendingCall(scene)
    const token = await tokenMailedTo(server, manager.email)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => decide(token, n % 2 === 0 ? 'approved' : 'rejected')),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(410)])
    const entries = (await auditEntries(server, scene.tenant.id)).filter((entry) => entry.resource_id === id)
    expect(entries.map((entry) => entry.event_type)).toEqual(['approval.requested', 'approval.resolved'])
  })

  it('an expired link shows the same page, before the job has expired the approval', async () => {
    const { id } = await addPendingCall(scene)
    await passTime(server, id)
    await expectGone(await tokenMailedTo(server, manager.email))
  })

  const demotions: [string, () => Promise<unknown>][] = [
    ['who was removed', () => scene.tenant.owner.api.delete(`/users/${manager.id}`)],
    ['who is a member now', () => scene.tenant.owner.api.put(`/users/${manager.id}`, { role: 'member' })],
    ['who is a viewer now', () => scene.tenant.owner.api.put(`/users/${manager.id}`, { role: 'viewer' })],
    ['who is a learner now', () => setUser(manager.id, 'academy_only = true')],
    [
      'who does not see the agent now',
      () => scene.tenant.owner.api.put(`/users/${manager.id}/access-scope`, { access_scope: 'scoped' }),
    ],
    [
      'who owns the agent now',
      () => scene.tenant.owner.api.put(`/agents/${scene.agentId}`, { owner_user_id: manager.id }),
    ],
    [
      'whose agent is in production now',
      () => manager.api.put(`/environments/${scene.tenant.development}`, { is_production: true }),
    ],
  ]

  it.each(demotions)('the link of a user %s shows and resolves nothing', async (_, demote) => {
    const held = await addPendingCall(scene)
    const token = await tokenMailedTo(server, manager.email)
    expect((await open(token)).status).toBe(200)
    await demote()
    await expectGone(token)
    expect(await statusOf(held)).toBe('pending')
  })

  it('a link resolves only its own approval', async () => {
    const [first, second] = [await addPendingCall(scene), await addPendingCall(scene)]
    await decide(await tokenMailedTo(server, manager.email))
    expect([await statusOf(first), await statusOf(second)]).toEqual(['pending', 'approved'])
  })
})

describe('the token', () => {
  it('is stored as a digest only, and is in no response, no audit entry and no log', async () => {
    const held = await addPendingCall(scene)
    const token = await tokenMailedTo(server, manager.email)
    const { rows } = await server.owner.query('select * from approval_links where approval_id = $1', [held.id])
    expect(rows.find(({ user_id }) => user_id === manager.id).token_hash).toEqual(digest(token))
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) })
    const app = createApp({ ...server.services, log }, routes)
    await app.inject({ url: `/approve?token=${token}` })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const form = new URLSearchParams({ token, outcome: 'approved' }).toString()
    expect((await app.inject({ method: 'POST', url: '/approve', headers, payload: form })).statusCode).toBe(200)
    await app.close()
    expect(lines.filter((line) => line.includes('"/approve"'))).toHaveLength(2)
    const answer = (await scene.tenant.owner.api.get(`/approvals/${held.id}`)).body
    const written = JSON.stringify([rows, lines, answer, await auditEntries(server, scene.tenant.id)])
    expect(written).not.toContain(token)
  })

  it('429 with a page for a client with too many attempts, GET and POST counted together', async () => {
    const throttled = await startTestServer({ authThrottle: true })
    try {
      for (let n = 0; n < 30; n++) {
        expect((await open(`guess-${n}`, { from: throttled })).status).toBe(410)
        expect((await decide(`guess-${n}`, 'approved', {}, throttled)).status).toBe(410)
      }
      for (const refused of [
        await open('guess', { from: throttled }),
        await decide('guess', 'approved', {}, throttled),
      ]) {
        expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      }
    } finally {
      await throttled.stop()
    }
  })
})
