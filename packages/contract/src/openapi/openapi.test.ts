import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { endpoints } from '../endpoints.ts'
import { type OpenApiOperation, openApiDocument } from './openapi.ts'

const document = openApiDocument(endpoints)
const text = JSON.stringify(document)

function operation(id: keyof typeof endpoints): OpenApiOperation {
  const { path, method } = endpoints[id]
  return document.paths[path]?.[method.toLowerCase()] as OpenApiOperation
}

describe('the OpenAPI document', () => {
  test('the committed openapi.json is up to date', () => {
    const committed = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
    expect(JSON.stringify(committed) === text, 'run `npm run generate`').toBe(true)
  })

  test('every reference points to an existing schema', () => {
    const names = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name as string)
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect(document.components.schemas).toHaveProperty([name])
    expect(text).not.toContain('#/$defs/')
  })

  test('declares every path parameter, and 401, 429 and 503 for every endpoint that needs a credential', () => {
    for (const id of Object.keys(endpoints) as (keyof typeof endpoints)[]) {
      const { parameters = [], security, responses } = operation(id)
      const named = [...endpoints[id].path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(named)
      if (security.length > 0) expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '429', '503']))
    }
  })

  test('describes limits as integers with bounds, ids as UUIDs and times as date-times', () => {
    const limit = operation('listApiKeys').parameters?.find(({ name }) => name === 'limit')
    expect(limit).toMatchObject({ in: 'query', required: false, schema: { type: 'integer', minimum: 1, maximum: 200 } })
    expect(document.components.schemas.User?.properties).toMatchObject({
      id: { type: 'string', format: 'uuid' },
      created_at: { type: 'string', format: 'date-time' },
    })
  })

  test('lists the error codes of each status', () => {
    const { responses } = operation('inviteUser')
    expect(responses['409']?.description).toContain('`academy_learner_exists`')
    expect(JSON.stringify(responses['409']?.content)).toContain('CodedError')
  })

  test('declares a separate server for paths outside the base path', () => {
    expect(document.paths['/healthz']?.servers).toEqual([{ url: '/' }])
    expect(document.paths['/users']?.servers).toBeUndefined()
  })
})
