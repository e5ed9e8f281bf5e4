import { describe, expect, it } from 'vitest'
import { loadSigningKey, newSigningKeyPem, type SigningKey, succeedSigningKey } from '../security/signing-key.ts'
import { createTenant } from '../testing/arrange.ts'
import { addEntry } from '../testing/arrange-audit.ts'
import { useTestServer } from '../testing/use-test-server.ts'
import { BrokenChain, sealTenant } from './seal-pending.ts'
import { verifyTrail } from './verify-trail.ts'

const server = useTestServer()

const firstText = { signingKey: newSigningKeyPem(), previousSigningKeys: [] }
const secondText = succeedSigningKey(firstText)
const first = loadSigningKey(firstText)
const second = loadSigningKey(secondText)
const third = loadSigningKey(succeedSigningKey(secondText))

const now = () => new Date().toISOString()
const seal = (tenantId: string, key: SigningKey) =>
  sealTenant(server.services.db, { ...server.services, signingKey: key }, tenantId, now())
const verify = (tenantId: string, key: SigningKey) =>
  verifyTrail({ ...server.services, signingKey: key }, tenantId, now())

async function sealedBy(...keys: SigningKey[]): Promise<string> {
  const { id } = await createTenant(server)
  for (const [index, key] of keys.entries()) {
    await addEntry(server, id, index === 0 ? 'tenant.created' : 'tenant.updated')
    expect(await seal(id, key)).toBe(1)
  }
  return id
}

describe('a trail after a rotation of the signing key', () => {
  it('is sealed by the next key and by the one after it, and stays valid because each key signed its successor', async () => {
    const id = await sealedBy(first, second, third)
    expect(await verify(id, third)).toMatchObject({ valid: true, entries: 3, head: { seq: 3 } })
    const { rows } = await server.owner.query('select kid from audit_checkpoints where tenant_id = $1 order by seq', [
      id,
    ])
    expect(rows.map(({ kid }) => kid)).toEqual([first.kid, second.kid, third.kid])
  })

  it('is neither sealed nor accepted with a key that the previous key did not sign', async () => {
    const id = await sealedBy(first)
    await addEntry(server, id, 'tenant.updated')
    const stranger = loadSigningKey({ signingKey: newSigningKeyPem(), previousSigningKeys: [] })
    await expect(seal(id, stranger)).rejects.toThrow(BrokenChain)
    expect(await verify(id, stranger)).toMatchObject({
      valid: false,
      first_bad: { reason: 'checkpoint_unverified', seq: 1 },
    })
    expect(await seal(id, second)).toBe(1)
  })

  it('is not sealed by an instance that still has the previous key', async () => {
    const id = await sealedBy(first, second)
    await addEntry(server, id, 'tenant.updated')
    await expect(seal(id, first)).rejects.toThrow(BrokenChain)
    expect(await seal(id, second)).toBe(1)
  })

  it('is invalid if the previous key signed again after the next key', async () => {
    const id = await sealedBy(first, second, { ...first, verifying: third.verifying })
    expect(await verify(id, second)).toMatchObject({
      valid: false,
      first_bad: { reason: 'checkpoint_unverified', seq: 3 },
    })
  })

  it('is invalid and not sealed if a newer key signed before an older one', async () => {
    const id = await sealedBy(second, { ...first, verifying: third.verifying })
    expect(await verify(id, second)).toMatchObject({
      valid: false,
      first_bad: { reason: 'checkpoint_unverified', seq: 2 },
    })
    await addEntry(server, id, 'tenant.updated')
    await expect(seal(id, second)).rejects.toThrow(BrokenChain)
  })
})
