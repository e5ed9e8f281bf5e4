import { beforeEach, describe, expect, it } from 'vitest'
import type { AuditSource } from '../../../audit/record-audit.ts'
import type { Tx } from '../../../db/database.ts'
import type { ApiClient } from '../../../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  grantAgent,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { checkRecordEnvironments } from '../../../testing/check-record-environments.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { type DecisionGap, mostItems } from '../cases/case-items.ts'
import { closeDecisionGap, openDecisionGap } from './decision-gap.ts'

const server = useOwnServer()
checkRecordEnvironments(server, ['findings'])
let tenant: TestTenant
let agentId: string

beforeEach(async () => {
  tenant = await createTenant(server)
  agentId = await addAgent(server, tenant.id, { environmentId: tenant.development })
})

const by = (): AuditSource => ({
  actor: { kind: 'agent', tenantId: tenant.id, credentialId: agentId, agentId, name: 'agent' },
  request: { id: 'ingestion', ip: '', userAgent: '' },
  now: new Date().toISOString(),
  services: server.services,
})
const gap = (from: number, to: number): DecisionGap => ({ edge_id: null, kid: 'key', from, to })
const inTenant = (work: (tx: Tx) => Promise<void>) => server.services.db.transaction(tenant.id, work)
const open = (...gaps: DecisionGap[]) => inTenant((tx) => openDecisionGap(tx, by(), agentId, ...gaps))
const close = (from: number, to: number, ...stored: DecisionGap[]) =>
  inTenant((tx) => closeDecisionGap(tx, by(), agentId, [{ kid: 'key', from, to }], async () => stored))
const findings = async (query = '') =>
  (await tenant.owner.api.get(`/findings?agent_id=${agentId}&type=decision_gap${query}`)).body.data
const items = async () => (await findings('&status=open'))[0]?.evidence.items
const events = async () =>
  (await auditEntries(server, tenant.id))
    .filter(({ event_type }) => event_type.startsWith('finding.'))
    .map(({ event_type, details, agent_id, source }) => ({ event_type, details, agent_id, source }))
const accept = (api: ApiClient, id: string, body: unknown = { reason: 'The disk is lost.' }) =>
  api.post(`/findings/${id}/accept`, body)

describe('decision_gap', () => {
  it('opens with the first gap, and takes further gaps as items', async () => {
    await open(gap(5, 9))
    await open(gap(12, 12), gap(20, 30))
    await open(gap(5, 9))
    expect(await findings()).toMatchObject([{ severity: 'medium', status: 'open', closed_at: null }])
    expect(await items()).toEqual([gap(5, 9), gap(12, 12), gap(20, 30)])
    expect(await events()).toEqual([
      {
        event_type: 'finding.opened',
        details: { type: 'decision_gap', items: [gap(5, 9)] },
        agent_id: agentId,
        source: 'edge',
      },
    ])
  })

  it('is of high severity in production', async () => {
    agentId = await addAgent(server, tenant.id, { environmentId: tenant.production })
    await open(gap(1, 1))
    expect(await findings()).toMatchObject([{ severity: 'high' }])
  })

  it('closes when the missing records arrived, and not before', async () => {
    await open(gap(5, 9))
    await close(6, 7)
    expect(await items()).toEqual([gap(5, 5), gap(8, 9)])
    await close(5, 5)
    await close(5, 5)
    await close(100, 200)
    expect(await items()).toEqual([gap(8, 9)])
    await close(8, 9)
    expect(await findings()).toMatchObject([{ status: 'closed', evidence: { items: [gap(8, 9)] } }])
    await close(8, 9)
    expect((await events()).map(({ event_type }) => event_type)).toEqual(['finding.opened', 'finding.closed'])
    await open(gap(40, 41))
    expect((await findings()).map(({ status }: { status: string }) => status)).toEqual(['open', 'closed'])
  })

  it('shows the newest 50 gaps, and closes when the others are closed too', async () => {
    const gaps = Array.from({ length: mostItems + 1 }, (_, n) => gap(n * 10, n * 10))
    await open(...gaps)
    expect(await items()).toEqual(gaps.slice(1))
    await close(10, 10 * gaps.length, gap(0, 0))
    expect(await findings()).toMatchObject([{ status: 'open', evidence: { items: [gap(0, 0)] } }])
    expect((await findings())[0].evidence.dropped).toBeUndefined()
    await close(0, 0)
    expect(await findings()).toMatchObject([{ status: 'closed' }])
  })

  it('counts the gaps that it does not show', async () => {
    const gaps = Array.from({ length: mostItems + 3 }, (_, n) => gap(n * 10, n * 10))
    await open(...gaps)
    await close(20, 20, ...gaps.toSpliced(2, 1))
    expect(await findings()).toMatchObject([{ status: 'open', evidence: { items: gaps.slice(3), dropped: 2 } }])
  })

  it('keeps a fork whose number was missing too', async () => {
    await open(gap(5, 9), gap(5, 5))
    await close(5, 9, gap(5, 5))
    expect(await items()).toEqual([gap(5, 5)])
  })

  it('stays open while the agent is archived', async () => {
    await open(gap(5, 9))
    expect((await tenant.owner.api.delete(`/agents/${agentId}`)).status).toBe(204)
    expect(await items()).toEqual([gap(5, 9)])
  })

  it('does nothing for an agent that does not exist', async () => {
    agentId = '00000000-0000-7000-8000-000000000000'
    await open(gap(5, 9))
    await close(5, 9)
    expect(await events()).toEqual([])
  })

  it('is open once, with every gap, if 20 transactions open it at once', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => open(gap(n * 10, n * 10 + (n % 3)))))
    expect(await findings()).toHaveLength(1)
    expect(await items()).toHaveLength(20)
    expect(await events()).toHaveLength(1)
  })

  it('is closed once if the last records arrive in several transactions', async () => {
    await open(...Array.from({ length: 10 }, (_, n) => gap(n * 10, n * 10 + 1)))
    await Promise.all(Array.from({ length: 20 }, (_, n) => close(Math.floor(n / 2) * 10, Math.floor(n / 2) * 10 + 1)))
    expect(await findings()).toMatchObject([{ status: 'closed' }])
    expect((await events()).map(({ event_type }) => event_type)).toEqual(['finding.opened', 'finding.closed'])
  })
})

describe('POST /findings/{finding_id}/accept', () => {
  const idOf = async () => (await findings('&status=open'))[0].id as string

  it('200 closes the finding and keeps who accepted it and why', async () => {
    await open(gap(5, 9))
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const { status, body } = await accept(manager.api, await idOf())
    expect([status, body.status]).toEqual([200, 'closed'])
    expect(body.evidence).toEqual({
      items: [gap(5, 9)],
      accepted: { by: manager.id, reason: 'The disk is lost.', at: body.closed_at },
    })
    expect(await findings()).toEqual([body])
    const [, ...written] = await events()
    expect(written.map(({ event_type }) => event_type).toSorted()).toEqual(['finding.accepted', 'finding.closed'])
    expect(written.find(({ event_type }) => event_type === 'finding.accepted')).toMatchObject({
      details: { type: 'decision_gap', reason: 'The disk is lost.' },
      agent_id: agentId,
      source: 'control_plane',
    })
  })

  it('400 for a body without a reason, and nothing is written', async () => {
    await open(gap(5, 9))
    const id = await idOf()
    for (const body of [{}, { reason: '' }, { reason: 5 }, { reason: 'x'.repeat(2001) }]) {
      expect((await accept(tenant.owner.api, id, body)).status).toBe(400)
    }
    expect(await events()).toHaveLength(1)
  })

  it('403 for a member and for a key that may only read', async () => {
    await open(gap(5, 9))
    const id = await idOf()
    const member = await addPerson(server, tenant.id)
    const key = await addKey(server, tenant.id, tenant.owner, { scopes: ['findings:read'] })
    for (const { api } of [member, key]) expect((await accept(api, id)).status).toBe(403)
    expect(await findings()).toMatchObject([{ status: 'open' }])
  })

  it('404 for a finding that the caller does not see, whatever the body', async () => {
    await open(gap(5, 9))
    const id = await idOf()
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    const production = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    const development = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const { owner: stranger } = await createTenant(server)
    for (const { api } of [scoped, production, stranger]) {
      for (const body of [{ reason: 'x' }, {}]) {
        const answer = await accept(api, id, body)
        expect([answer.status, answer.body]).toEqual([404, { error: 'finding not found' }])
      }
    }
    await grantAgent(server, tenant.id, scoped.id, agentId)
    expect((await accept(scoped.api, id, {})).status).toBe(400)
    expect((await accept(development.api, id)).status).toBe(200)
  })

  it('409 for another type, and for a closed finding', async () => {
    await server.owner.query(
      `insert into findings (tenant_id, id, agent_id, environment_id, type, severity, status, evidence, remediation, opened_at)
       values ($1, gen_random_uuid(), $2, $3, 'coverage_gap', 'medium', 'open', '{}', '', now())`,
      [tenant.id, agentId, tenant.development],
    )
    const [other] = (await tenant.owner.api.get(`/findings?agent_id=${agentId}`)).body.data
    const refused = await accept(tenant.owner.api, other.id)
    expect([refused.status, refused.body.error]).toEqual([
      409,
      'only a finding of the type decision_gap can be accepted; this coverage_gap closes when its cause is gone',
    ])
    await open(gap(5, 9))
    const id = await idOf()
    await close(5, 9)
    const late = await accept(tenant.owner.api, id)
    expect([late.status, late.body.error]).toEqual([409, 'this finding is already closed'])
    expect((await events()).map(({ event_type }) => event_type)).toEqual(['finding.opened', 'finding.closed'])
  })

  it('is done once if several people accept at once', async () => {
    await open(gap(5, 9))
    const id = await idOf()
    const answers = await Promise.all(Array.from({ length: 6 }, () => accept(tenant.owner.api, id)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409])
    expect(await events()).toHaveLength(3)
  })

  it('is done or the finding closes by itself, never both, if the missing records arrive at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      await open(gap(round, round))
      const id = await idOf()
      const [answer] = await Promise.all([accept(tenant.owner.api, id), close(round, round)])
      const entries = (await auditEntries(server, tenant.id)).filter((entry) => entry.resource_id === id)
      const accepted = answer.status === 200 ? ['finding.accepted'] : []
      expect(entries.map(({ event_type }) => event_type).toSorted()).toEqual(
        [...accepted, 'finding.closed', 'finding.opened'].toSorted(),
      )
      expect([200, 409]).toContain(answer.status)
    }
  })
})

describe('GET /findings', () => {
  const add = (environmentId: string, severity: string, status: string, type: string) =>
    addAgent(server, tenant.id, { environmentId }).then((agent) =>
      server.owner.query(
        `insert into findings (tenant_id, id, agent_id, environment_id, type, severity, status, evidence, remediation, opened_at)
         values ($1, gen_random_uuid(), $2, $3, $4, $5, $6, '{}', '', now())`,
        [tenant.id, agent, environmentId, type, severity, status],
      ),
    )
  type Row = { id: string; severity: string; status: string; type: string }
  const list = async (api: ApiClient, query: string): Promise<Row[]> => {
    const { status, body } = await api.get(`/findings?limit=200&${query}`)
    expect(status, query).toBe(200)
    expect(body.total, query).toBe(body.data.length)
    return body.data
  }
  const severities = ['low', 'medium', 'high', 'critical']
  const attention = (one: Row) => (one.status === 'open' ? 4 : 0) + severities.indexOf(one.severity)

  it('filters by severity and environment, and sorts by attention, for each kind of caller', async () => {
    for (const environmentId of [tenant.development, tenant.production]) {
      for (const severity of severities) {
        for (const status of ['open', 'closed', 'open']) {
          await add(environmentId, severity, status, severity === 'low' ? 'evidence_stale' : 'coverage_gap')
        }
      }
    }
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    const stranger = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    const { rows } = await server.owner.query('select id from agents where tenant_id = $1 order by id', [tenant.id])
    for (const { id } of rows.filter((_, at) => at % 2)) await grantAgent(server, tenant.id, scoped.id, id)
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const both = await addKey(server, tenant.id, scoped, { environmentId: tenant.development })
    const inDevelopment = new Set(
      (await list(tenant.owner.api, `environment_id=${tenant.development}`)).map(({ id }) => id),
    )
    expect(inDevelopment.size).toBe(12)
    for (const { api } of [tenant.owner, scoped, key, both, stranger]) {
      const all = await list(api, '')
      const expectRows = async (query: string, keeps: (one: Row) => boolean) => {
        const kept = all.filter(keeps)
        expect(await list(api, query), query).toEqual(kept)
        const sorted = kept.toSorted((a, b) => attention(b) - attention(a))
        expect(await list(api, `${query}&sort=attention`), query).toEqual(sorted)
        expect(await list(api, `${query}&sort=opened_at`), query).toEqual(kept)
        expect((await api.get(`/findings?${query}&sort=attention&limit=3&offset=2`)).body.data, query).toEqual(
          sorted.slice(2, 5),
        )
      }
      await expectRows('', () => true)
      await expectRows('status=open', ({ status }) => status === 'open')
      await expectRows(
        'status=closed&severity=high',
        ({ status, severity }) => status === 'closed' && severity === 'high',
      )
      await expectRows('severity=critical', ({ severity }) => severity === 'critical')
      await expectRows('severity=low&type=coverage_gap', () => false)
      await expectRows('severity=low&type=evidence_stale', ({ severity }) => severity === 'low')
      await expectRows(`environment_id=${tenant.development}`, ({ id }) => inDevelopment.has(id))
      await expectRows(
        `environment_id=${tenant.production}&type=coverage_gap`,
        ({ id, type }) => !inDevelopment.has(id) && type === 'coverage_gap',
      )
      await expectRows('environment_id=00000000-0000-7000-8000-000000000000', () => false)
      for (const one of all.slice(0, 2) as (Row & { agent_id: string })[]) {
        const ofAgent = (row: Row) => (row as Row & { agent_id: string }).agent_id === one.agent_id
        await expectRows(`agent_id=${one.agent_id}&severity=${one.severity}`, ofAgent)
        await expectRows(
          `agent_id=${one.agent_id}&environment_id=${tenant.development}`,
          (row) => ofAgent(row) && inDevelopment.has(row.id),
        )
      }
    }
  })

  it('refuses unknown values of filters, and takes an unknown sort as the default', async () => {
    for (const query of ['severity=urgent', 'severity=', 'environment_id=production', 'severity=low&severity=high']) {
      expect((await tenant.owner.api.get(`/findings?${query}`)).status, query).toBe(400)
    }
    expect((await tenant.owner.api.get('/findings?sort=other')).status).toBe(200)
  })
})
