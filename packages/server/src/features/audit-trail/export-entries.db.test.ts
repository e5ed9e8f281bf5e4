import { get } from 'node:http'
import { type ExportVerdict, verifyExport } from '@mandate/proofs/verify-export'
import { describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import { addKey, addPerson, createTenant, type TestPerson } from '../../testing/arrange.ts'
import { addEntry, fillTrail, sealAll } from '../../testing/arrange-audit.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()

async function exported(person: Pick<TestPerson, 'accessToken'>, query = '') {
  const headers = { authorization: `Bearer ${person.accessToken}` }
  const response = await fetch(`${server.url}/api/v1/audit/export${query}`, { headers })
  const text = await response.text()
  expect(text === '' || text.endsWith('\n')).toBe(true)
  return { response, lines: text.split('\n').slice(0, -1) }
}

async function* each(lines: readonly string[]) {
  yield* lines
}
const verify = (lines: readonly string[]) => verifyExport(each(lines), server.services.signingKey.publicKeyPem)
const verifyComplete = (lines: readonly string[]) =>
  verifyExport(each(lines), server.services.signingKey.publicKeyPem, { complete: true })
const details = (lines: readonly string[]) =>
  lines.map((line) => JSON.parse(line)).flatMap((line) => ('details' in line ? [line.details.n] : []))

describe('GET /audit/export', () => {
  it('200 streams NDJSON, oldest first: each entry with its seal, the checkpoints, and a signed last line', async () => {
    const { id, owner } = await createTenant(server)
    for (const n of [1, 2, 3])
      await addEntry(server, id, n === 1 ? 'tenant.created' : 'tenant.updated', { details: { n } })
    const { response, lines } = await exported(owner)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    expect(details(lines)).toEqual([1, 2, 3])
    const parsed = lines.map((line) => JSON.parse(line))
    const hex = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(parsed[1]).toMatchObject({ tenant_id: id, seal: { seq: 2, entry_hash: hex, chain_hash: hex } })
    const { chain_hash } = parsed[2].seal
    const signed = { kid: server.services.signingKey.kid, signature: expect.any(String) }
    const time = expect.stringMatching(/Z$/)
    const checkpoint = { tenant_id: id, seq: 3, chain_hash, ...signed, signed_at: time, previous_seq: 0 }
    expect(parsed[3]).toEqual({ checkpoint })
    const ends = { head: { seq: 3, chain_hash }, last_seal: 3, last_checkpoint: 3 }
    const end = {
      tenant_id: id,
      after: 0,
      seq: 3,
      shape: hex,
      ...ends,
      pending: 0,
      faults: [],
      exported_at: time,
      ...signed,
    }
    expect(parsed[4]).toEqual({ end })
    expect(parsed).toHaveLength(5)
    const { body } = await owner.api.get('/audit')
    const { tenant_id: _tenant, category: _category, seal, ...entry } = parsed[2]
    const { previous_hash: _previous, ...listed } = body.data[0]
    expect({ ...entry, seq: seal.seq, hash: seal.chain_hash }).toEqual(listed)
  })

  it('an export verifies offline with the public key alone, and agrees with GET /audit/verify', async () => {
    const { id, owner } = await createTenant(server)
    await addEntry(server, id, 'tenant.created')
    await owner.api.put('/governance-gate', { gate: 'enforce' })
    await owner.api.post('/api-keys', { name: 'ci' })
    await fillTrail(server, id, { entries: 1300 })
    await sealAll(server, id)
    await owner.api.put(`/users/${owner.id}`, { display_name: 'Añe "☃" \\ 🎉' })
    const { lines } = await exported(owner)
    const verdict = await verify(lines)
    expect(verdict).toMatchObject({ valid: true, entries: 1304, after: 0, withheld: 0, pending: 0 })
    expect((await owner.api.get('/audit/verify')).body.head).toEqual((verdict as ExportVerdict).head)
  })

  it('a filtered export has the same entries as the list, begins and ends at checkpoints, and verifies', async () => {
    const { id, owner } = await createTenant(server)
    for (const n of [1, 2])
      await addEntry(server, id, n === 1 ? 'tenant.created' : 'tenant.updated', { details: { n } })
    await owner.api.get('/audit/verify')
    await fillTrail(server, id, { entries: 1400 })
    await sealAll(server, id)
    await owner.api.get('/audit/verify')
    for (const n of [3, 4])
      await addEntry(server, id, n === 1 ? 'tenant.created' : 'tenant.updated', { details: { n } })
    const { lines } = await exported(owner, '?event_type=agent.updated')
    expect(details(lines)).toHaveLength(200)
    expect(await verify(lines)).toMatchObject({ valid: true, entries: 200, after: 2, withheld: 1200 })
    expect(lines.join()).not.toContain('agent.created')
    expect(lines.filter((line) => line.startsWith('{"withheld":'))).toHaveLength(1200)
    expect(lines.filter((line) => line.startsWith('{"checkpoint":')).length).toBeGreaterThanOrEqual(4)
    expect(await verifyComplete(lines)).toMatchObject({ valid: false, first_bad: { reason: 'export_incomplete' } })
    const late = await exported(owner, '?resource_type=tenant')
    expect(details(late.lines)).toEqual([1, 2, 3, 4])
    expect(await verify(late.lines)).toMatchObject({ valid: true, entries: 4, withheld: 1400 })
  })

  it('an export seals one batch, says how many entries are unsealed, and is complete when no entry is', async () => {
    const { id, owner } = await createTenant(server)
    await addEntry(server, id, 'tenant.created')
    await fillTrail(server, id, { entries: 700 })
    const first = await exported(owner)
    expect(await verify(first.lines)).toMatchObject({ valid: true, entries: 500, pending: 201 })
    expect(await verifyComplete(first.lines)).toMatchObject({
      valid: false,
      first_bad: { reason: 'export_incomplete' },
    })
    const second = await exported(owner)
    expect(await verifyComplete(second.lines)).toMatchObject({ valid: true, entries: 701, pending: 0 })
  })

  it('an export without matching entries has the last checkpoint and the last line', async () => {
    const { id, owner } = await createTenant(server)
    await addEntry(server, id, 'tenant.created')
    const { lines } = await exported(owner, `?agent_id=${newId()}`)
    expect(lines).toHaveLength(2)
    expect(await verify(lines)).toMatchObject({ valid: true, entries: 0, head: { seq: 1 } })
  })

  it('an entry changed in the database makes its export invalid', async () => {
    const { id, owner } = await createTenant(server)
    for (const n of [1, 2, 3])
      await addEntry(server, id, n === 1 ? 'tenant.created' : 'tenant.updated', { details: { n } })
    await owner.api.get('/audit/verify')
    await server.owner.query(
      `update audit_entries set details = '{"n":9}' where tenant_id = $1 and details @> '{"n":2}'`,
      [id],
    )
    const { lines } = await exported(owner)
    expect(await verify(lines)).toMatchObject({ valid: false, first_bad: { reason: 'entry_changed', seq: 2 } })
  })

  it('a member gets the entries without the chain, which would reveal how many entries are hidden', async () => {
    const { id } = await createTenant(server)
    await addEntry(server, id, 'user.invited')
    await fillTrail(server, id, { entries: 1100 })
    const member = await addPerson(server, id, { role: 'member' })
    const { lines } = await exported(member)
    expect(lines).toHaveLength(1100)
    expect(new Set(details(lines)).size).toBe(1100)
    expect(lines.join()).not.toMatch(/seal|checkpoint|withheld|end"|user\.invited/)
  })

  it('a bound key’s export has only the hashes of the entries that the key cannot see', async () => {
    const { id, owner, development } = await createTenant(server)
    await addEntry(server, id, 'user.invited', { resource: { type: 'user', id: newId(), name: 'secret name' } })
    const policy = { type: 'policy', id: newId(), name: 'policy' }
    await addEntry(server, id, 'policy.deleted', { resource: policy, environmentId: development, details: { n: 1 } })
    const key = await addKey(server, id, owner, { environmentId: development })
    const { lines } = await exported({ accessToken: key.raw })
    expect(details(lines)).toEqual([1])
    expect(lines.join()).not.toContain('secret name')
    expect(await verify(lines)).toMatchObject({ valid: true, entries: 1, withheld: 1 })
  })

  it('a caller who stops reading does not keep a database connection', async () => {
    const { id, owner } = await createTenant(server)
    await fillTrail(server, id, { entries: 1200, padding: 10_000 })
    await sealAll(server, id)
    await owner.api.get('/audit/verify')
    const headers = { authorization: `Bearer ${owner.accessToken}` }
    const stalled = Array.from({ length: 15 }, () =>
      get(`${server.url}/api/v1/audit/export`, { headers, agent: false }),
    )
    // Reads the headers and fills the buffers, then stops reading.
    await Promise.all(stalled.map((request) => new Promise((resolve) => request.on('response', resolve))))
    expect((await owner.api.put('/governance-gate', { gate: 'off' })).status).toBe(200)
    for (const request of stalled) request.on('error', () => {}).destroy()
    expect((await exported(owner, '?source=control_plane')).lines).toHaveLength(4)
  })

  it.each(['source=x', 'from=x', 'to=x', 'actor_id=x', 'agent_id=x', 'resource_id=x'])('400 for %s', async (query) => {
    const { owner } = await createTenant(server)
    const { status, body } = await owner.api.get(`/audit/export?${query}`)
    expect(status).toBe(400)
    expect(body.error).toMatch(new RegExp(`^${query.split('=')[0]} `))
  })
})
