import { z } from 'zod'
import { anyone } from './access.ts'
import { endpoint } from './endpoint.ts'

const tag = 'Operations'

export const operationEndpoints = {
  checkHealth: endpoint({
    method: 'GET',
    path: '/healthz',
    absolute: true,
    tag,
    summary: 'Whether the process runs',
    access: anyone,
    answers: { 200: z.object({ status: z.literal('ok') }) },
    errors: [],
  }),
  checkReadiness: endpoint({
    method: 'GET',
    path: '/readyz',
    absolute: true,
    tag,
    summary: 'Whether the process should be sent requests',
    description:
      '503 while it drains, and while its database does not answer or has no room left. `degraded` while it serves without Redis.',
    access: anyone,
    answers: { 200: z.object({ status: z.enum(['ready', 'degraded']), reasons: z.array(z.string()).optional() }) },
    errors: [503],
  }),
  readMetrics: endpoint({
    method: 'GET',
    path: '/metrics',
    absolute: true,
    tag,
    summary: 'Figures for Prometheus',
    description: 'Needs the bearer `MANDATE_METRICS_TOKEN`; no other credential serves.',
    access: anyone,
    answers: { 200: z.string() },
    errors: [401],
    produces: 'text/plain',
  }),
  readOpenApi: endpoint({
    method: 'GET',
    path: '/openapi.json',
    tag,
    summary: 'This interface as an OpenAPI 3.1 document',
    access: anyone,
    answers: { 200: z.record(z.string(), z.unknown()) },
    errors: [],
  }),
  readDocs: endpoint({
    method: 'GET',
    path: '/docs',
    absolute: true,
    tag,
    summary: 'This interface as a page to read',
    access: anyone,
    answers: { 200: z.string() },
    errors: [],
    produces: 'text/html',
  }),
}
