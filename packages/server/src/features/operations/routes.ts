import { readFileSync } from 'node:fs'
import { endpoints } from '@mandate/contract/endpoints'
import { openApiDocument } from '@mandate/contract/openapi/openapi'
import { policyFileSchema } from '@mandate/contract/policy-file'
import { htmlType } from '../../http/answers/html.ts'
import { docsHeaders, renderDocs } from '../../http/docs/render-docs.ts'
import { Content, on, RawJson, type Route } from '../../http/routes/route.ts'
import { Refusal } from '../../refusal.ts'
import { checkReadiness } from './check-readiness.ts'
import { requireMetricsToken } from './require-metrics-token.ts'

/**
 * Returns a function that builds a document at its first call and keeps it, because the document does not change while the
 * process runs.
 */
function once<T>(build: () => T): () => T {
  let built: T | undefined
  return () => {
    built ??= build()
    return built
  }
}

const openApi = once(() => openApiDocument(endpoints))
const openApiText = once(() => new RawJson(JSON.stringify(openApi())))
const policySchemaText = once(() => new RawJson(JSON.stringify(policyFileSchema())))
// Stored as bytes, because encoding a page of this size would take milliseconds per request.
const docs = once(() => Buffer.from(renderDocs(openApi())))

const docsScript = once(() => readFileSync(new URL('../../http/docs/script.js', import.meta.url)))

// Probes and scrapes are frequent and come from few addresses, so a rate limit would refuse them.
const probe = { attempts: 'unlimited' } as const

export const operationRoutes: readonly Route[] = [
  on(endpoints.checkHealth, async () => ({ status: 'ok' as const }), probe),
  on(
    endpoints.checkReadiness,
    async ({ services }) => {
      const readiness = await checkReadiness(services)
      if ('fault' in readiness) throw new Refusal(503, readiness.fault)
      const { degraded } = readiness
      return degraded.length > 0 ? { status: 'degraded' as const, reasons: degraded } : { status: 'ready' as const }
    },
    probe,
  ),
  on(
    endpoints.readMetrics,
    async ({ services: { metrics, config } }, { headers }) => {
      requireMetricsToken(config.metricsToken, headers.authorization)
      return new Content(await metrics.expose(), metrics.contentType)
    },
    probe,
  ),
  on(endpoints.readOpenApi, async () => openApiText()),
  on(endpoints.readPolicyFileSchema, async () => policySchemaText()),
  on(endpoints.readDocs, async () => new Content(docs(), htmlType, { headers: docsHeaders })),
  on(endpoints.readDocsScript, async () => new Content(docsScript(), 'text/javascript; charset=utf-8')),
]
