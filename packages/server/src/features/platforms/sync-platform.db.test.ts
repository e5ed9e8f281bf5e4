import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createVault } from '../../identity/vault.ts'
import { auditEntries, createTenant, type TestTenant } from '../../testing/arrange.ts'
import { startTestServer, type TestServer } from '../../testing/start-test-server.ts'
import { secretContext } from './rules.ts'
import {
  type GitHubServer,
  installation,
  organization,
  send,
  startGitHubServer,
  token,
} from './testing/github-server.ts'

const previousKey = randomBytes(32)
let server: TestServer
let guarded: TestServer
let github: GitHubServer
let tenant: TestTenant
beforeAll(async () => {
  server = await startTestServer({ privatePlatforms: true, previousVaultKeys: [previousKey.toString('hex')] })
  github = await startGitHubServer()
})
afterAll(async () => {
  await Promise.all([server.stop(), github.stop(), guarded?.stop()])
})
beforeEach(async () => {
  tenant = await createTenant(server, { plan: 'pro' })
  github.instead = undefined
  github.installations = [
    installation(1, 'copilot-swe-agent'),
    installation(2, 'github-actions'),
    installation(3, 'reviewer'),
  ]
})

async function connect(secret: string | undefined = token): Promise<string> {
  const config = { organization, base_url: github.baseUrl }
  const answer = await tenant.owner.api.post('/platforms', {
    kind: 'github',
    name: 'Ours',
    config,
    auth_secret: secret,
  })
  expect(answer.status).toBe(201)
  return answer.body.id
}
const sync = (id: string) => tenant.owner.api.post(`/platforms/${id}/sync`)
const discovered = async (state = 'discovered') =>
  (await tenant.owner.api.get(`/agents?source=github&governance_state=${state}`)).body.data
const eventsOf = async (type: string) =>
  (await auditEntries(server, tenant.id)).filter(({ event_type }) => event_type === type)

describe('POST /platforms/{platform_id}/sync', () => {
  it('200; discovered agents have their source and no environment, and each is audited', async () => {
    const id = await connect()
    expect(github.asked).toEqual([])
    const answer = await sync(id)
    expect(answer).toMatchObject({
      status: 200,
      body: { id, last_sync_status: 'succeeded', last_sync_at: expect.stringMatching(/Z$/), last_error: null },
    })
    const agents = await discovered()
    expect(agents.map(({ name }: { name: string }) => name).sort()).toEqual([
      'Copilot coding agent',
      'GitHub Actions',
      'reviewer',
    ])
    for (const agent of agents) {
      expect(agent).toMatchObject({ source: 'github', governance_state: 'discovered', environment: null, policy: null })
      expect(agent).toMatchObject({ status: 'registered', lifecycle_status: 'proposed', metadata: { organization } })
    }
    const entries = await eventsOf('agent.discovered')
    expect(entries.map(({ agent_id }) => agent_id).sort()).toEqual(
      agents.map((agent: { id: string }) => agent.id).sort(),
    )
    expect(entries[0].details).toMatchObject({ source: 'github', platform_id: id })
    const [synced] = await eventsOf('platform.synced')
    expect(synced.details).toEqual({ kind: 'github', status: 'succeeded', found: 3, discovered: 3 })
  })

  it('a second synchronization adds only new agents, and leaves suppressed ones suppressed', async () => {
    const id = await connect()
    await sync(id)
    const [first] = await discovered()
    await tenant.owner.api.post(`/agents/${first.id}/suppress`)
    github.installations.push(installation(4, 'deployer'))
    await sync(id)
    expect((await discovered()).map(({ name }: { name: string }) => name)).toContain('deployer')
    expect(await discovered()).toHaveLength(3)
    expect((await discovered('suppressed')).map((agent: { id: string }) => agent.id)).toEqual([first.id])
    expect(await eventsOf('agent.discovered')).toHaveLength(4)
  })

  it('an organization that is connected again or twice adds no agent twice', async () => {
    const id = await connect()
    await sync(id)
    await tenant.owner.api.delete(`/platforms/${id}`)
    const [second, third] = [await connect(), await connect()]
    for (const each of [second, third]) expect((await sync(each)).body.last_sync_status).toBe('succeeded')
    expect(await discovered()).toHaveLength(3)
    const { rows } = await server.owner.query('select platform_id from agents where tenant_id = $1', [tenant.id])
    expect(rows.map(({ platform_id }) => platform_id)).toEqual([second, second, second])
  })

  it('concurrent synchronizations over two connections create each agent once', async () => {
    const ids = [await connect(), await connect()]
    const answers = await Promise.all([...ids, ...ids, ...ids].map(sync))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(await discovered()).toHaveLength(3)
    expect(await eventsOf('agent.discovered')).toHaveLength(3)
  })

  it('200 with last_sync_status failed and last_error when the platform refuses or fails; no agent, no secret', async () => {
    const id = await connect('ghp_wrong-token')
    const answer = await sync(id)
    expect(answer).toMatchObject({
      status: 200,
      body: {
        last_sync_status: 'failed',
        last_error: 'GitHub rejected the auth secret (401); connect the platform again with a valid token',
      },
    })
    github.instead = (_request, response) => {
      send(response, 502, 'ghp_wrong-token')
      return true
    }
    expect((await sync(id)).body.last_error).toBe('GitHub could not list the installations (502); try again later')
    const entries = await auditEntries(server, tenant.id)
    expect(JSON.stringify(entries)).not.toContain('ghp_wrong-token')
    expect(entries.find(({ event_type }) => event_type === 'platform.synced')?.details).toMatchObject({
      status: 'failed',
    })
    expect(await discovered()).toEqual([])
  })

  it('if a page fails, no agent of earlier pages is created; the next synchronization clears the error', async () => {
    const id = await connect()
    github.instead = (request, response) => {
      if (!request.url?.includes('page=2')) return false
      send(response, 500, {})
      return true
    }
    expect((await sync(id)).body).toMatchObject({
      last_sync_status: 'failed',
      last_error: 'GitHub could not list the installations (500); try again later',
    })
    expect(await discovered()).toEqual([])
    github.instead = undefined
    expect((await sync(id)).body).toMatchObject({ last_sync_status: 'succeeded', last_error: null })
    expect(await discovered()).toHaveLength(3)
  })

  it('200 failed without a secret, and with a secret whose vault key is lost', async () => {
    const answer = await tenant.owner.api.post('/platforms', { kind: 'github', name: 'Ours', config: { organization } })
    expect((await sync(answer.body.id)).body.last_error).toBe('no auth secret is stored for the platform')
    await server.owner.query('update platforms set auth_secret_sealed = $2 where id = $1', [answer.body.id, 'v1.AAAA'])
    expect((await sync(answer.body.id)).body.last_error).toMatch(/^the stored auth secret cannot be decrypted/)
  })

  it('200 succeeded with a secret that an earlier vault key sealed', async () => {
    const id = await connect('ghp_wrong-token')
    const sealed = createVault(previousKey).seal(token, secretContext(tenant.id, id))
    await server.owner.query('update platforms set auth_secret_sealed = $2 where id = $1', [id, sealed])
    expect((await sync(id)).body).toMatchObject({ last_sync_status: 'succeeded', last_error: null })
  })

  it('409 with a reason for kinds without a connector; nothing is written', async () => {
    for (const kind of ['salesforce', 'm365', 'snowflake']) {
      const { id } = (await tenant.owner.api.post('/platforms', { kind, name: 'Theirs', auth_secret: 'x' })).body
      expect(await sync(id)).toMatchObject({ status: 409, body: { error: `sync is not available for ${kind} yet` } })
    }
    expect(await eventsOf('platform.synced')).toEqual([])
  })

  it('402 below the Pro plan; 404 for an unknown id comes first', async () => {
    const id = await connect()
    await server.owner.query(`update tenants set plan = 'free' where id = $1`, [tenant.id])
    expect((await sync(id)).status).toBe(402)
    expect((await sync(tenant.id)).status).toBe(404)
  })

  it('404 if it is disconnected during the synchronization; no agent is created', async () => {
    const id = await connect()
    github.instead = (_request, response) => {
      const late = () => send(response, 200, { installations: [installation(1, 'reviewer')] })
      void tenant.owner.api.delete(`/platforms/${id}`).then(late)
      return true
    }
    expect((await sync(id)).status).toBe(404)
    expect(await discovered()).toEqual([])
  })

  it('a private address is refused if private addresses were only allowed when it was stored', async () => {
    guarded = await startTestServer()
    tenant = await createTenant(guarded, { plan: 'pro' })
    const config = { organization }
    const answer = await tenant.owner.api.post('/platforms', {
      kind: 'github',
      name: 'Ours',
      config,
      auth_secret: token,
    })
    const stored = JSON.stringify({ organization, base_url: github.baseUrl })
    await guarded.owner.query('update platforms set config = $2 where id = $1', [answer.body.id, stored])
    github.asked = []
    expect((await sync(answer.body.id)).body.last_error).toMatch(/private, loopback or link-local/)
    expect(github.asked).toEqual([])
  })
})
