import { describe, expect, it } from 'vitest'
import { findFault } from './find-fault.js'

const id = '01890000-0000-7000-8000-000000000000'
const type = 'application/json; charset=utf-8'
const environment = {
  id,
  tenant_id: id,
  name: 'Production',
  slug: 'production',
  is_production: true,
  governance_mode: 'enforce',
  tool_pinning: 'off',
  keep_arguments_for_replay: false,
  created_at: '2026-01-01T00:00:00.000Z',
}
const answer = {
  method: 'GET',
  path: `/api/v1/environments/${id}`,
  status: 200,
  type,
  body: JSON.stringify(environment),
}

describe('the comparison of a response with the OpenAPI document', () => {
  it('accepts a declared response', () => {
    expect(findFault(answer)).toEqual({ operation: 'getEnvironment', fault: null })
  })

  it.each([
    ['an undeclared field', { body: JSON.stringify({ ...environment, wire_json: '{}' }) }, 'additional properties'],
    ['a missing field', { body: JSON.stringify({ ...environment, name: undefined }) }, 'required property'],
    ['a field of another type', { body: JSON.stringify({ ...environment, is_production: 'yes' }) }, 'must be boolean'],
    ['a status that is not declared', { status: 418 }, 'status 418 is not declared'],
    ['another content type', { type: 'text/html' }, 'content type text/html is not declared'],
    ['text that is not JSON', { body: 'nonsense' }, 'must be object'],
    ['an error body without its text', { status: 404, body: '{}' }, 'required property'],
  ])('finds %s', (_title, change, fault) => {
    expect(findFault({ ...answer, ...change }).fault).toContain(fault)
  })

  it('rejects a body if none is declared', () => {
    const revoked = { method: 'DELETE', path: `/api/v1/edges/${id}`, status: 204, type: undefined }
    expect(findFault({ ...revoked, body: '' }).fault).toBeNull()
    expect(findFault({ ...revoked, body: '{}' }).fault).toContain('a body where none is declared')
  })

  it('requires an error body for paths outside the document', () => {
    const unknown = { method: 'GET', path: '/nonsense', status: 404, type }
    expect(findFault({ ...unknown, body: '{"error":"no such path"}' })).toEqual({ operation: 'none', fault: null })
    expect(findFault({ ...unknown, body: '{"message":"no"}' }).fault).toContain('not an error body')
    expect(findFault({ ...unknown, status: 200, body: '{"error":"no"}' }).fault).toContain('outside every operation')
  })

  it('accepts the pages and files of the dashboard, and nothing else outside the document', () => {
    const page = { method: 'GET', status: 200, type: 'text/html; charset=utf-8', body: '<!doctype html>' }
    for (const path of ['/', '/agents', `/agents/${id}`, '/sign-in/complete', '/assets/index-R9HXT1Y5.js', '/theme.js'])
      expect(findFault({ ...page, path })).toEqual({ operation: 'dashboard', fault: null })
    expect(findFault({ ...page, path: '/docs/', status: 302, body: null }).fault).toBeNull()
    expect(findFault({ ...page, path: '/nonsense', status: 404 })).toEqual({ operation: 'dashboard', fault: null })
    expect(findFault({ ...page, path: '/api/v1/nonsense', status: 404 }).fault).toContain('not an error body')
    expect(findFault({ ...page, path: '/agents', method: 'POST' }).fault).toContain('outside every operation')
    expect(findFault({ ...page, path: '/agents', status: 500 }).fault).toContain('outside every operation')
    expect(findFault({ ...page, path: '/api/v1/nonsense' }).fault).toContain('outside every operation')
    expect(findFault({ ...page, path: '/agents/x/y' }).fault).toContain('outside every operation')
  })
})
