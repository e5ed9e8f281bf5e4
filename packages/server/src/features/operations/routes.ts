import { readFileSync } from 'node:fs'
import { endpoints } from '@mandate/contract/endpoints'
import { openApiDocument } from '@mandate/contract/openapi/openapi'
import { policyFileSchema } from '@mandate/contract/policies/policy-file'
import { htmlType } from '../../http/answers/html.ts'
import { docsHeaders, renderDocs } from '../../http/docs/render-docs.ts'
import { basePathOf } from '../../http/routes/base-path.ts'
import { Content, on, RawJson, type Route } from '../../http/routes/route.ts'
import { Refusal } from '../../refusal.ts'
import type { Services } from '../../services.ts'
import { checkReadiness } from './check-readiness.ts'
import { requireMetricsToken } from './require-metrics-token.ts'

/**
 * Returns a function that builds a document for the base path of a server at its first call and keeps it, because the document does not change while
 * the process runs.
 */
function once<T>(build: (basePath: string) => T): (services: Services) => T {
  const built = new Map<string, T>()
  return ({ config }) => {
    const basePath = basePathOf(config.publicUrl)
    const document = built.get(basePath) ?? build(basePath)
    built.set(basePath, document)
    return document
  }
}

const openApiText = once((basePath) => new RawJson(JSON.stringify(openApiDocument(endpoints, basePath))))
const policySchemaText = once(() => new RawJson(JSON.stringify(policyFileSchema())))
// Stored as bytes, because encoding a page of this size would take milliseconds per request.
const docs = once((basePath) => Buffer.from(renderDocs(openApiDocument(endpoints), basePath)))

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
  on(endpoints.readOpenApi, async ({ services }) => openApiText(services)),
  on(endpoints.readPolicyFileSchema, async ({ services }) => policySchemaText(services)),
  on(endpoints.readDocs, async ({ services }) => new Content(docs(services), htmlType, { headers: docsHeaders })),
  on(
    endpoints.readDocsScript,
    async ({ services }) => new Content(docsScript(services), 'text/javascript; charset=utf-8'),
  ),
]
