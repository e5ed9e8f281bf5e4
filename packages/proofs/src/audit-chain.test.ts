import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import type { AuditCheckpoint, SealableEntry } from '@mandate/contract/audit/audit-chain'
import { genesisHash } from '@mandate/contract/audit/sealed-forms'
import { describe, expect, it } from 'vitest'
import { ChainWalk, checkpointText, entryHash, keyId, nextChainHash } from './audit-chain.ts'
import { entry as sealedEntry, tenant_id } from './testing/signed-export.ts'

const pair = generateKeyPairSync('ed25519')
const pem = pair.publicKey.export({ type: 'spki', format: 'pem' }) as string
const keys = new Map([[keyId(pem), pem]])
const entry = (n: number, change: Partial<SealableEntry> = {}): SealableEntry => ({ ...sealedEntry(n), ...change })

function chainOf(entries: SealableEntry[]) {
  let chain_hash = genesisHash
  return entries.map((each, index) => {
    const entry_hash = entryHash(each)
    chain_hash = nextChainHash(chain_hash, index + 1, entry_hash)
    return { entry: each, seal: { seq: index + 1, entry_hash, chain_hash } }
  })
}

function checkpointAt(
  seal: { seq: number; chain_hash: string },
  key = pair.privateKey,
  previous_seq?: number,
): AuditCheckpoint {
  const place = { tenant_id, seq: seal.seq, chain_hash: seal.chain_hash, signed_at: '2026-01-02T03:04:06.000Z' }
  const form = { ...place, previous_seq }
  const signature = sign(null, Buffer.from(checkpointText(form)), key).toString('base64')
  return { ...form, kid: keyId(pem), signature }
}

const links = chainOf([entry(1), entry(2), entry(3)])
const [first, second, third] = links as [(typeof links)[0], (typeof links)[0], (typeof links)[0]]

describe('the audit chain', () => {
  it('computes a chain hash as SHA-256 over the previous hash, the number in 8 bytes big-endian and the entry hash', () => {
    const bytes = Buffer.concat([Buffer.alloc(32, 0xab), Buffer.from([0, 0, 0, 1, 0, 0, 0, 2]), Buffer.alloc(32, 0xcd)])
    const expected = createHash('sha256').update(bytes).digest('hex')
    expect(nextChainHash('ab'.repeat(32), 2 ** 32 + 2, 'cd'.repeat(32))).toBe(expected)
  })

  it('an entry hash depends on the sealed fields, not on the order of keys or on fields added later', () => {
    const reordered = Object.fromEntries(Object.entries(entry(1)).reverse()) as unknown as SealableEntry
    expect(entryHash(reordered)).toBe(entryHash(entry(1)))
    expect(entryHash({ ...entry(1), added_later: true } as SealableEntry)).toBe(entryHash(entry(1)))
  })

  const changes: [string, Partial<SealableEntry>][] = [
    ['tenant_id', { tenant_id: 'other' }],
    ['category', { category: 'agent' }],
    ['event_type', { event_type: 'user.removed' }],
    ['source', { source: 'edge' }],
    ['outcome', { outcome: 'failure' }],
    ['actor', { actor: { type: 'person', user_id: tenant_id, name: 'Eve', email: 'ada@example.com' } }],
    ['api_key', { api_key: { id: tenant_id, prefix: 'mk_00000', name: 'k' } }],
    ['resource', { resource: { type: 'user', id: tenant_id, name: 'Mallory' } }],
    ['agent_id', { agent_id: tenant_id }],
    ['environment_id', { environment_id: tenant_id }],
    ['details', { details: { role: 'owner', n: 1 } }],
    ['request_id', { request_id: 'r-2' }],
    ['ip', { ip: '127.0.0.2' }],
    ['user_agent', { user_agent: 'other' }],
    ['created_at', { created_at: '2026-01-02T03:04:05.007Z' }],
  ]
  it.each(changes)('detects an entry whose %s was changed', (_, change) => {
    const walk = new ChainWalk(keys)
    expect(walk.passEntry(entry(1, change), first.seal)).toMatchObject({ reason: 'entry_changed', seq: 1 })
  })

  it('accepts an unbroken chain up to its checkpoint', () => {
    const walk = new ChainWalk(keys)
    for (const link of links) expect(walk.passEntry(link.entry, link.seal)).toBeUndefined()
    expect(walk.passCheckpoint(checkpointAt(third.seal))).toBeUndefined()
    expect(walk.finish()).toBeUndefined()
    expect(walk.head).toEqual({ seq: 3, chain_hash: third.seal.chain_hash })
    expect(walk.entries).toBe(3)
  })

  it('accepts a part between two checkpoints, with only the hash of an entry', () => {
    const walk = new ChainWalk(keys)
    expect(walk.startAt(checkpointAt(first.seal))).toBeUndefined()
    expect(walk.passHash(2, second.seal.entry_hash)).toBeUndefined()
    expect(walk.passEntry(third.entry, third.seal)).toBeUndefined()
    expect(walk.passCheckpoint(checkpointAt(third.seal))).toBeUndefined()
    expect(walk.finish()).toBeUndefined()
    expect(walk.entries).toBe(1)
  })

  it('detects a missing entry, swapped seals, and an entry after the last checkpoint', () => {
    const gap = new ChainWalk(keys)
    gap.passEntry(first.entry, first.seal)
    expect(gap.passEntry(third.entry, third.seal)).toEqual({ reason: 'seal_missing', seq: 2 })
    const swapped = new ChainWalk(keys)
    expect(swapped.passEntry(second.entry, { ...second.seal, seq: 1 })).toMatchObject({ reason: 'seal_changed' })
    const tail = new ChainWalk(keys)
    tail.passEntry(first.entry, first.seal)
    tail.passCheckpoint(checkpointAt(first.seal))
    tail.passEntry(second.entry, second.seal)
    expect(tail.finish()).toEqual({ reason: 'checkpoint_missing', seq: 2 })
  })

  it('detects a chain rewritten from the first entry on, because it does not match the signed checkpoint', () => {
    const [forged] = chainOf([entry(1, { details: { role: 'owner' } })])
    const walk = new ChainWalk(keys)
    expect(walk.passEntry(forged!.entry, forged!.seal)).toBeUndefined()
    expect(walk.passCheckpoint(checkpointAt(first.seal))).toEqual({ reason: 'checkpoint_changed', seq: 1 })
  })

  it('rejects a checkpoint that is changed, signed by another key, or has an unknown key id', () => {
    const other = generateKeyPairSync('ed25519').privateKey
    const good = checkpointAt(first.seal)
    for (const bad of [
      checkpointAt(first.seal, other),
      { ...good, signed_at: '2027-01-01T00:00:00.000Z' },
      { ...good, tenant_id: 'other' },
      { ...good, kid: '0'.repeat(16) },
      { ...good, signature: '' },
    ]) {
      expect(new ChainWalk(keys).startAt(bad)).toEqual({ reason: 'checkpoint_unverified', seq: 1 })
    }
  })

  it('detects a chain cut before its checkpoint', () => {
    const walk = new ChainWalk(keys)
    walk.passEntry(first.entry, first.seal)
    expect(walk.passCheckpoint(checkpointAt(third.seal))).toEqual({ reason: 'seal_missing', seq: 2 })
  })

  it('detects an empty chain, and a chain that does not start with the creation of the tenant', () => {
    const [other] = chainOf([entry(1, { event_type: 'user.invited' })])
    expect(new ChainWalk(keys).passEntry(other!.entry, other!.seal)).toMatchObject({
      reason: 'beginning_missing',
      seq: 1,
    })
    const nothing = { head: null, last_seal: 0, last_checkpoint: 0 }
    expect(new ChainWalk(keys).checkEnds(nothing)).toEqual({ reason: 'beginning_missing', seq: 1 })
  })

  it('detects a removed checkpoint, because the next checkpoint names it', () => {
    const pass = (...places: number[]) => {
      const walk = new ChainWalk(keys)
      let previous_seq = 0
      for (const link of links) {
        walk.passEntry(link.entry, link.seal)
        const checkpoint = checkpointAt(link.seal, pair.privateKey, previous_seq)
        previous_seq = link.seal.seq
        const fault = places.includes(link.seal.seq) ? walk.passCheckpoint(checkpoint) : undefined
        if (fault) return fault
      }
      return walk.finish()
    }
    expect(pass(1, 2, 3)).toBeUndefined()
    expect(pass(1, 3)).toEqual({ reason: 'checkpoint_missing', seq: 2 })
    expect(pass(2, 3)).toEqual({ reason: 'checkpoint_missing', seq: 1 })
    expect(pass(1, 2)).toEqual({ reason: 'checkpoint_missing', seq: 3 })
  })

  it('detects an entry or a checkpoint of another tenant, even with a valid signature', () => {
    const ours = new ChainWalk(keys, { tenantId: 'other' })
    expect(ours.passEntry(first.entry, first.seal)).toMatchObject({ reason: 'entry_changed', seq: 1 })
    expect(new ChainWalk(keys, { tenantId: 'other' }).startAt(checkpointAt(first.seal))).toMatchObject({
      reason: 'checkpoint_unverified',
    })
    const walk = new ChainWalk(keys)
    walk.passEntry(first.entry, first.seal)
    const [foreign] = chainOf([entry(2, { tenant_id: 'other' })])
    expect(walk.passEntry(foreign!.entry, { ...foreign!.seal, seq: 2 })).toMatchObject({
      reason: 'entry_changed',
      seq: 2,
    })
  })

  it('treats an entry without a canonical form as changed', () => {
    const changed = entry(1, { details: { n: Number.POSITIVE_INFINITY } })
    expect(new ChainWalk(keys).passEntry(changed, first.seal)).toMatchObject({ reason: 'entry_changed', seq: 1 })
  })

  it('accepts the format of older versions, in which a checkpoint does not name the previous checkpoint', () => {
    const { signature: _signature, kid: _kid, ...old } = checkpointAt(first.seal)
    expect(checkpointText({ ...old, previous_seq: null })).toBe(checkpointText(old))
    expect(Object.keys(JSON.parse(checkpointText(old)))).toEqual(['chain_hash', 'seq', 'signed_at', 'tenant_id'])
  })
})
