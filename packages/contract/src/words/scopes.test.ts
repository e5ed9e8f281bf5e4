import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { endpoints } from '../endpoints.ts'
import { editsBetween } from './edits-between.ts'
import { emptyScopes, faultOfScope, resourceMeantBy, scopeResources } from './scopes.ts'

describe('scopes', () => {
  it('accepts exactly the first segments of the paths that a key may call', () => {
    const forKeys = (Object.values(endpoints) as Endpoint[]).filter(({ access }) => access.by === 'role')
    const segments = new Set(forKeys.map(({ path }) => path.split('/')[1] as string))
    expect([...segments].toSorted()).toEqual([...scopeResources].toSorted())
  })

  it('lists the scopes that open nothing', () => {
    const scopes = scopeResources.flatMap((resource) => [`${resource}:read`, `${resource}:write`])
    expect(scopes.filter((scope) => opens(scope).length === 0)).toEqual(emptyScopes)
  })

  it.each(['*', '*:read', 'agents:*', 'policies:write', 'governance-gate:read'])('accepts %s', (scope) => {
    expect(faultOfScope(scope)).toBeNull()
  })

  it.each([
    ['agent:read', 'the nearest is agents'],
    ['policy:*', 'the nearest is policies'],
    ['apikeys:write', 'the nearest is api-keys'],
    ['api_keys:write', 'the nearest is api-keys'],
    ['Agents:read', 'the nearest is agents'],
    ['keys:read', 'the nearest is api-keys'],
    ['patterns:write', 'the nearest is content-patterns'],
    ['key:read', 'the nearest is api-keys'],
    ['KEY:read', 'the nearest is api-keys'],
    ['gate:read', 'the nearest is governance-gate'],
    ['freeze:write', 'the nearest is freezes'],
    ['organization:read', 'the nearest is tenants'],
    ['orgs:read', 'the nearest is tenants'],
    ['members:read', 'the nearest is users'],
    ['people:*', 'the nearest is users'],
    ['enviroment:read', 'the nearest is environments'],
    ['polcy:read', 'the nearest is policies'],
    ['usr:read', 'the nearest is users'],
  ])('refuses %s: %s', (scope, text) => expect(faultOfScope(scope)).toContain(text))

  it.each(['stop', 'call', 'roles', 'logs', 'team', 'app', 'constructor', '-', '_', 'x'.repeat(63)])(
    'names all resources for %s, which is like none',
    (word) => {
      const all = `the resources are ${scopeResources.join(', ')}`
      expect(faultOfScope(`${word}:read`)).toBe(`must name a known resource: ${word} is unknown; ${all}`)
    },
  )

  it('names a resource that is written with one edit, or two in a long name', () => {
    const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz')
    const misspelt = fc.constantFrom(...scopeResources).chain((resource) =>
      fc
        .array(fc.tuple(fc.nat(resource.length - 1), letter, fc.constantFrom('add', 'replace', 'remove')), {
          minLength: 1,
          maxLength: resource.length < 8 ? 1 : 2,
        })
        .map((edits) => ({ resource, written: edits.reduce(withEdit, resource as string) })),
    )
    fc.assert(
      fc.property(misspelt, ({ resource, written }) => {
        const meant = resourceMeantBy(written)
        // One edit can make a word that is equally similar to two resources. `egents` is similar to `agents` and to `events`.
        if (meant !== resource)
          expect(editsBetween(written, meant!)).toBeLessThanOrEqual(editsBetween(written, resource))
      }),
      { numRuns: 1_000 },
    )
  })

  it('names a resource for a word only if they share most letters or a word', () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/)
    fc.assert(
      fc.property(word, (written) => {
        const meant = resourceMeantBy(written)
        if (meant === undefined || ['org', 'member', 'person', 'people'].some((one) => written.startsWith(one))) return
        const alike = [meant, ...meant.split('-')].map((part) => editsBetween(written, part) / part.length)
        expect(Math.min(...alike)).toBeLessThanOrEqual(0.5)
      }),
      { numRuns: 1_000 },
    )
  })

  it.each(['agents', 'agents:delete', ':read', 'agents:read:write', 'agents :read', ''])(
    'rejects the malformed scope %j',
    (scope) => {
      expect(faultOfScope(scope)).toContain('must be <resource>:<action>')
    },
  )

  it.each([
    ['read:agents', 'agents:read'],
    ['agents:reed', 'agents:read'],
    ['agents.read', 'agents:read'],
    ['agents/wirte', 'agents:write'],
    ['agents :read', 'agents:read'],
    ['agents:READ', 'agents:read'],
    ['Api_Key.write', 'api-keys:write'],
    ['agents', 'agents:read or agents:write'],
    ['agents:delete', 'agents:read or agents:write'],
    ['agents_read', 'agents:read'],
    ['agents-read', 'agents:read'],
    ['READ_API_KEYS', 'api-keys:read'],
    ['governance-gate-write', 'governance-gate:write'],
    ['api-keys', 'api-keys:read or api-keys:write'],
    ['keys.read', 'api-keys:read'],
    ['*:delete', '*:read or *:write'],
    ['*.write', '*:write'],
  ])('suggests for the malformed scope %s: %s', (scope, meant) => {
    expect(faultOfScope(scope)).toBe(
      `must be <resource>:<action>; the action is read, write or *; did you mean ${meant}?`,
    )
  })

  it.each([':read', '', 'everything', 'x'.repeat(100_000)])('suggests nothing without a known resource', (scope) => {
    expect(faultOfScope(scope)).toBe('must be <resource>:<action>; the action is read, write or *')
  })

  it('docs/api-keys.md has each resource with what it opens', async () => {
    const page = new URL('../../../../docs/api-keys.md', import.meta.url).pathname
    const [before, rest = ''] = readFileSync(page, 'utf8').split('| Resource | `read` | `write` |\n')
    const after = rest.slice(rest.indexOf('\n\n'))
    const table = ['| Resource | `read` | `write` |', '|---|---|---|', ...scopeResources.map(rowOf)].join('\n')
    await expect(before + table + after).toMatchFileSnapshot(page)
  })
})

function withEdit(text: string, [place, letter, kind]: readonly [number, string, string]): string {
  const at = place % text.length
  return text.slice(0, at) + (kind === 'remove' ? '' : letter) + text.slice(kind === 'add' ? at : at + 1)
}

/** The row of a resource in docs/api-keys.md: the summaries of its operations. */
function rowOf(resource: string): string {
  const summaries = (action: string) =>
    opens(`${resource}:${action}`)
      .map(({ summary }) => withSmallFirst(summary))
      .join('; ')
  return `| \`${resource}\` | ${summaries('read') || 'nothing'} | ${summaries('write') || 'nothing'} |`
}

/** The endpoints that a scope opens. */
function opens(scope: string): Endpoint[] {
  const [resource, action] = scope.split(':')
  return (Object.values(endpoints) as Endpoint[]).filter(
    ({ access, path, method }) =>
      access.by === 'role' && path.split('/')[1] === resource && (method === 'GET') === (action === 'read'),
  )
}

const withSmallFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
