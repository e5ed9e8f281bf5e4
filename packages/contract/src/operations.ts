import { z } from 'zod'
import { anyone } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'

const tag = 'Operations'

export const operationEndpoints = {
  checkHealth: endpoint({
    method: 'GET',
    path: '/healthz',
    absolute: true,
    tag,
    summary: 'Check that the process runs',
    description: 'Answers as soon as the process runs. It reads nothing.',
    access: anyone,
    answers: { 200: z.object({ status: z.literal('ok').describe('Always `ok`: the process runs.') }) },
    errors: [],
  }),
  checkReadiness: endpoint({
    method: 'GET',
    path: '/readyz',
    absolute: true,
    tag,
    summary: 'Check that the process can serve requests',
    description:
      '503 while the process shuts down, and while its database does not answer or has no room left. `degraded` while it runs without Redis.',
    access: anyone,
    answers: {
      200: z.object({
        status: z
          .enum(['ready', 'degraded'])
          .describe('`ready`, or `degraded` if something is missing that requests can do without.'),
        reasons: z.array(z.string()).optional().describe('What is missing, in words. Absent if nothing is.'),
      }),
    },
    errors: [503],
  }),
  readMetrics: endpoint({
    method: 'GET',
    path: '/metrics',
    absolute: true,
    tag,
    summary: 'Read metrics for Prometheus',
    description: 'Needs the bearer token `MANDATE_METRICS_TOKEN`. No other credential is accepted.',
    access: anyone,
    answers: { 200: z.string() },
    errors: [401],
    produces: 'text/plain',
  }),
  readOpenApi: endpoint({
    method: 'GET',
    path: '/openapi.json',
    tag,
    summary: 'Read this API as an OpenAPI 3.1 document',
    description: 'The document is the same for every caller.',
    access: anyone,
    answers: { 200: z.record(z.string(), z.unknown()) },
    errors: [],
  }),
  readPolicyFileSchema: endpoint({
    method: 'GET',
    path: '/policy-file.schema.json',
    tag,
    summary: 'Read the JSON Schema of policy files',
    description:
      'For editors, which check a policy file while a person writes it. The schema is the same for every caller.',
    access: anyone,
    answers: { 200: z.record(z.string(), z.unknown()) },
    errors: [],
  }),
  readDocs: endpoint({
    method: 'GET',
    path: '/docs',
    absolute: true,
    tag,
    summary: 'Read this API as a page',
    description: 'Every operation with its fields, examples and code samples, to search and to link to.',
    access: anyone,
    answers: { 200: z.string() },
    errors: [],
    produces: 'text/html',
  }),
  readDocsScript: endpoint({
    method: 'GET',
    path: '/docs/script.js',
    absolute: true,
    tag,
    summary: 'Read the script of the page',
    description: 'Search, links and copying on the page `/docs`, which works without it.',
    access: anyone,
    answers: { 200: z.string() },
    errors: [],
    produces: 'text/javascript',
  }),
}
