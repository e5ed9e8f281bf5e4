import { readFile } from 'node:fs/promises'
import { endpoints } from '@mandate/contract/endpoints'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type ApiClient, apiClient } from '../../testing/api-client.ts'
import { addKey, createTenant } from '../../testing/arrange.ts'
import { startTestServer, type TestServer, testMetricsToken } from '../../testing/start-test-server.ts'

let server: TestServer
let api: ApiClient
beforeAll(async () => {
  server = await startTestServer()
  api = apiClient(server.url)
})
afterAll(() => server.stop())

test('200 /healthz as long as the process runs', async () => {
  expect(await api.get('//healthz')).toMatchObject({ status: 200, body: { status: 'ok' } })
})

test('200 /readyz while the database answers, 503 once the server drains', async () => {
  expect(await api.get('//readyz')).toMatchObject({ status: 200, body: { status: 'ready' } })
  server.services.lifecycle.draining = true
  try {
    expect(await api.get('//readyz')).toMatchObject({ status: 503, body: { error: 'the server is stopping' } })
    expect((await api.get('//healthz')).status).toBe(200)
  } finally {
    server.services.lifecycle.draining = false
  }
})

test('503 /readyz when the database does not answer', async () => {
  const other = await startTestServer()
  try {
    await other.services.db.close()
    expect(await apiClient(other.url).get('//readyz')).toMatchObject({ status: 503 })
    expect((await apiClient(other.url, testMetricsToken).get('//metrics')).status).toBe(200)
  } finally {
    await other.stop()
  }
})

test('200 /readyz says degraded while Redis does not answer, and so does a metric', async () => {
  const other = await startTestServer({ redisUrl: 'redis://127.0.0.1:1' })
  try {
    const client = apiClient(other.url)
    await expect.poll(async () => (await client.get('//readyz')).body.status, { timeout: 60_000 }).toBe('degraded')
    const { status, body } = await client.get('//readyz')
    expect(status).toBe(200)
    expect(body.reasons).toEqual(['Redis does not answer: each instance applies the rate limits separately'])
    expect((await apiClient(other.url, testMetricsToken).get('//metrics')).body).toMatch(/^mandate_redis_up 0$/m)
  } finally {
    await other.stop()
  }
})

test('/metrics counts responses by operation and status, and contains no tenant', async () => {
  await api.get('/users')
  await api.get('/nowhere')
  const { status, body, headers } = await apiClient(server.url, testMetricsToken).get('//metrics')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^text\/plain/)
  expect(body).toMatch(/mandate_http_requests_total\{operation="listUsers",status="401"\} 1/)
  expect(body).toMatch(/mandate_http_requests_total\{operation="none",status="404"\} 1/)
  expect(body).toMatch(/mandate_http_request_duration_seconds_count\{operation="listUsers"\} 1/)
  for (const name of [
    'mandate_db_pool_connections',
    'mandate_audit_unsealed_entries',
    'mandate_audit_seal_lag_seconds',
    'mandate_data_free_bytes',
  ]) {
    expect(body).toContain(name)
  }
  expect(body).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7/)
})

test('the alert rules in docs/operations.md use only metrics and labels that /metrics has', async () => {
  const page = await readFile(new URL('../../../../../docs/operations.md', import.meta.url), 'utf8')
  const rules = /```yaml\n(groups:.*?)```/s.exec(page)?.[1] ?? ''
  const expressions = [...rules.matchAll(/^ {8}expr: (.*)$/gm)].map(([, expression = '']) => expression)
  expect(expressions.length).toBeGreaterThan(10)
  expect(rules.match(/^ {6}- alert: \w+$/gm)).toHaveLength(expressions.length)
  const names = new Set(expressions.flatMap((expression) => expression.match(/mandate_\w+/g) ?? []))
  onTestFinished(async () => void (await server.owner.query('delete from counted_gauges')))
  await server.owner.query(
    `insert into counted_gauges (name, tenant, label, value) select name, 'some tenant', 'some label', 1 from unnest($1::text[]) name`,
    [[...names]],
  )
  server.services.metrics.expectJobs(['some_task'])
  const exposed = await server.services.metrics.expose()
  for (const name of names) expect(exposed, name).toMatch(new RegExp(`^# HELP ${name} `, 'm'))
  for (const expression of expressions)
    for (const label of labelsIn(expression)) {
      const [name] = expression.match(/mandate_\w+/) ?? []
      expect(exposed, `${name} has ${label}`).toMatch(new RegExp(`^${name}\\{(?:.*,)?${label}="`, 'm'))
    }
})

/** The labels that an expression selects or groups by, without `instance`, which Prometheus adds. */
function labelsIn(expression: string): string[] {
  const selected = [...expression.matchAll(/(\w+)=/g)].map(([, label = '']) => label)
  const grouped = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */))
  return [...selected, ...grouped].filter((label) => label !== 'instance')
}

test('401 /metrics without its token, and with any other credential', async () => {
  const tenant = await createTenant(server)
  const key = await addKey(server, tenant.id, tenant.owner)
  const wrong = [undefined, '', 'wrong', `${testMetricsToken}x`, tenant.owner.accessToken, key.raw]
  for (const credential of wrong) {
    const { status, body, headers } = await apiClient(server.url, credential).get('//metrics')
    expect({ status, body }).toEqual({ status: 401, body: { error: 'the metrics token is required' } })
    expect(headers.get('www-authenticate')).toBe('Bearer')
  }
  const basic = await api.get('//metrics', { authorization: `Basic ${testMetricsToken}` })
  expect(basic.status).toBe(401)
})

test('401 /metrics for all callers if no token is configured', async () => {
  const other = await startTestServer({ metricsToken: undefined })
  try {
    for (const credential of [undefined, '', 'undefined', testMetricsToken]) {
      expect((await apiClient(other.url, credential).get('//metrics')).status).toBe(401)
    }
  } finally {
    await other.stop()
  }
})

test('/api/v1/openapi.json is OpenAPI 3.1, version 0.1.0, and contains every endpoint', async () => {
  const { body } = await api.get('/openapi.json')
  expect(body).toMatchObject({ openapi: '3.1.0', info: { version: '0.1.0' } })
  const ids = Object.values(body.paths).flatMap((path) =>
    Object.values(path as Record<string, { operationId?: string }>).flatMap(({ operationId }) => operationId ?? []),
  )
  expect(ids.sort()).toEqual(Object.keys(endpoints).sort())
})

test('/docs is one page with its own script that shows every path; its policy allows nothing else', async () => {
  const { status, body, headers } = await api.get('//docs')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'sha256-[^ ]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  )
  expect(body.match(/<script[^>]*>/g)).toEqual(['<script src="/docs/script.js" defer>'])
  for (const { path } of Object.values(endpoints)) expect(body).toContain(`${path}</code>`)
  const script = await api.get('//docs/script.js')
  expect(script).toMatchObject({ status: 200, body: expect.stringContaining('openTarget()') })
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
})
