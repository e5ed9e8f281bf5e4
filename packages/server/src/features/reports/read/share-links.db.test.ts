import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '../../../http/create-app.ts'
import { apiClient } from '../../../testing/api-client.ts'
import { auditEntries, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { startTestServer, type TestServer } from '../../../testing/start-test-server.ts'
import { routes } from '../../routes.ts'
import { proveReport } from './prove-report.ts'

let server: TestServer
let tenant: TestTenant
let reportId: string

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())
beforeEach(async () => {
  tenant = await createTenant(server)
  reportId = (await tenant.owner.api.post('/reports', { environment_id: tenant.development })).body.id
})

async function share(body: unknown = {}) {
  const answer = await tenant.owner.api.post(`/reports/${reportId}/share-links`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  const { pathname } = new URL(answer.body.url)
  return { id: answer.body.id as string, path: `/${pathname}`, token: pathname.slice(pathname.lastIndexOf('/') + 1) }
}
const anyone = () => apiClient(server.url)
const notFound = { status: 404, body: { error: 'report not found' } }

describe('share links', () => {
  it('201 {id, url} once; the URL shows the report without its links, to anyone, not indexed and without referrer', async () => {
    const link = await share()
    const { status, body, headers } = await anyone().get(link.path)
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['created_at', 'snapshot', 'title'])
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-robots-tag')).toContain('noindex')
    const page = await anyone().get(link.path, { accept: 'text/html' })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.body).toContain('noindex')
    const { digest } = proveReport(body, server.services.signingKey)
    expect(page.body, 'the digest is that of the JSON form').toContain(`<code>${digest}</code>`)
    const stored = await server.owner.query('select * from report_share_links where tenant_id = $1', [tenant.id])
    expect(JSON.stringify(stored.rows)).not.toContain(link.token)
    const links = (await tenant.owner.api.get(`/reports/${reportId}`)).body.share_links
    expect(links).toEqual([{ id: link.id, created_at: expect.any(String), expires_at: null, revoked_at: null }])
    expect(JSON.stringify(await auditEntries(server, tenant.id))).not.toContain(link.token)
  })

  it('an unknown, an expired and a revoked link have the same 404', async () => {
    const [expired, revoked] = [await share({ expires_at: '2999-01-01T00:00:00Z' }), await share()]
    expect((await anyone().get(expired.path)).status).toBe(200)
    await server.owner.query('update report_share_links set expires_at = now() where id = $1', [expired.id])
    const links = `/reports/${reportId}/share-links`
    expect((await tenant.owner.api.delete(`${links}/${revoked.id}`)).status).toBe(204)
    expect((await tenant.owner.api.delete(`${links}/${revoked.id}`)).status).toBe(404)
    for (const path of [expired.path, revoked.path, '/shared/reports/unknown']) {
      const { status, body } = await anyone().get(path)
      expect({ status, body }).toEqual(notFound)
    }
    const events = (await auditEntries(server, tenant.id)).map((entry) => entry.event_type)
    expect(events).toEqual(['report.created', 'report.shared', 'report.shared', 'report.share_revoked'])
  })

  it('400 for an expiry in the past, and for null', async () => {
    for (const expires_at of ['2020-01-01T00:00:00Z', null]) {
      const answer = await tenant.owner.api.post(`/reports/${reportId}/share-links`, { expires_at })
      expect(answer.status).toBe(400)
      expect(answer.body.error).toContain('expires_at')
    }
  })

  it('still work after the report is removed from the list, and after its environment is deleted', async () => {
    const link = await share()
    const before = (await anyone().get(link.path)).body
    expect((await tenant.owner.api.delete(`/reports/${reportId}`)).status).toBe(204)
    expect((await tenant.owner.api.delete(`/environments/${tenant.development}`)).status).toBe(204)
    expect((await anyone().get(link.path)).body).toEqual(before)
  })

  it('the preview counts what the deletion of the environment records, and what exists after it', async () => {
    const links = [await share(), await share({ expires_at: '2999-01-01T00:00:00Z' }), await share(), await share()]
    await server.owner.query('update report_share_links set expires_at = now() where id = $1', [links[2]?.id])
    await tenant.owner.api.delete(`/reports/${reportId}/share-links/${links[3]?.id}`)
    const { body: second } = await tenant.owner.api.post('/reports', { environment_id: tenant.development })
    await tenant.owner.api.post('/reports', { environment_id: tenant.production })
    await tenant.owner.api.delete(`/reports/${reportId}`)
    const { body: counts } = await tenant.owner.api.get(`/environments/${tenant.development}/deletion-preview`)
    expect(counts).toEqual({ agents: 0, api_keys: 0, reports_kept: 2, live_share_links: 2, reports_listed: 1 })
    await tenant.owner.api.delete(`/environments/${tenant.development}`)
    const entry = (await auditEntries(server, tenant.id)).find((each) => each.event_type === 'environment.deleted')
    const { agents: _agents, api_keys: _keys, ...ofReports } = counts
    expect(entry.details).toMatchObject(ofReports)
    const kept = (await tenant.owner.api.get('/reports')).body.data.filter(
      (report: { environment_id: string | null }) => report.environment_id === null,
    )
    expect(kept.map((report: { id: string }) => report.id)).toEqual([second.id])
    expect((await tenant.owner.api.get(`/reports/${reportId}`)).body).toMatchObject({
      environment_id: null,
      snapshot: { environment: { slug: 'development' } },
    })
    const statuses = await Promise.all(links.map(({ path }) => anyone().get(path)))
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 404, 404])
  })

  it('429 for a client that reads too often', async () => {
    const throttled = await startTestServer({ authThrottle: true })
    try {
      const read = () => apiClient(throttled.url).get('/shared/reports/unknown')
      const answers = await Promise.all(Array.from({ length: 125 }, read))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404, 429]))
    } finally {
      await throttled.stop()
    }
  })

  it('the request log has the pattern of the path and never the token', async () => {
    const link = await share()
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
    const app = createApp({ ...server.services, log }, routes)
    for (const path of [link.path, `${link.path}/`, link.path.replace('shared', '%73hared')]) {
      await app.inject({ url: path.slice(1) })
    }
    await app.close()
    expect(lines).toHaveLength(3)
    expect(lines.every((line) => line.includes('/api/v1/shared/reports/{token}'))).toBe(true)
    expect(lines.join()).not.toContain(link.token)
  })
})
