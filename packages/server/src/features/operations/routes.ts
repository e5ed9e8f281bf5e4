import { endpoints } from '@mandate/contract/endpoints'
import { openApiDocument } from '@mandate/contract/openapi'
import { docsHeaders, renderDocs } from '../../http/docs-page.ts'
import { on, Reply, type Route } from '../../http/route.ts'
import { checkReadiness } from './check-readiness.ts'
import { requireMetricsToken } from './require-metrics-token.ts'

/** Built on first use: the documents never change while the process runs. */
function once<T>(build: () => T): () => T {
  let built: T | undefined
  return () => {
    built ??= build()
    return built
  }
}

const openApi = once(() => openApiDocument(endpoints))
const docs = once(() => renderDocs(openApi()))

export const operationRoutes: readonly Route[] = [
  on(endpoints.checkHealth, async () => ({ status: 'ok' as const })),
  on(endpoints.checkReadiness, async ({ services }) => {
    const fault = await checkReadiness(services)
    return fault ? new Reply({ error: fault }, { status: 503 }) : { status: 'ready' as const }
  }),
  on(endpoints.readMetrics, async ({ services: { metrics, config } }, { headers }) => {
    requireMetricsToken(config.metricsToken, headers.authorization)
    return new Reply(await metrics.expose(), { headers: { 'content-type': metrics.contentType } })
  }),
  on(endpoints.readOpenApi, async () => ({ ...openApi() })),
  on(endpoints.readDocs, async () => new Reply(docs(), { headers: docsHeaders })),
]
