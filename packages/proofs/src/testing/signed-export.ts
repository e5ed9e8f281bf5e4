import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import type { AuditExportEnd, SealableEntry } from '@mandate/contract/audit/audit-chain'
import { genesisHash } from '@mandate/contract/audit/sealed-forms'
import { checkpointText, entryHash, exportEndText, keyId, nextChainHash } from '../audit-chain.ts'

/** The key of the service in the tests. */
const pair = generateKeyPairSync('ed25519')
export const pem = pair.publicKey.export({ type: 'spki', format: 'pem' }) as string
export const otherPem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }) as string
export const tenant_id = '01900000-0000-7000-8000-000000000001'

export function entry(n: number): SealableEntry {
  return {
    tenant_id,
    category: 'people',
    id: `01900000-0000-7000-8000-0000000001${String(n).padStart(2, '0')}`,
    source: 'control_plane',
    event_type: n === 1 ? 'tenant.created' : 'user.invited',
    outcome: 'success',
    actor: { type: 'system', user_id: null, name: 'system', email: '' },
    // Other programs take the character between the names for the end of a line.
    resource: { type: 'user', id: tenant_id, name: 'Grace\u2028Hopper' },
    details: JSON.parse(`{"n": ${n}, "__proto__": {"kept": true}}`),
    request_id: 'r',
    ip: '',
    user_agent: '',
    created_at: '2026-01-02T03:04:05.006Z',
    ...(n === 4 && {
      api_key: { id: tenant_id, prefix: 'mk_00000', name: 'ci' },
      agent_id: tenant_id,
      environment_id: tenant_id,
    }),
  }
}

/** The text of a signature by the service. */
export const signed = (text: string, by = pair.privateKey) => sign(null, Buffer.from(text), by).toString('base64')

let hash = genesisHash
const seals = Array.from({ length: 6 }, (_, index) => {
  const entry_hash = entryHash(entry(index + 1))
  hash = nextChainHash(hash, index + 1, entry_hash)
  return { seq: index + 1, entry_hash, chain_hash: hash }
})
export const sealOf = (seq: number) => seals[seq - 1] as (typeof seals)[0]
export const entryLine = (seq: number, change = {}) => JSON.stringify({ ...entry(seq), ...change, seal: sealOf(seq) })
export const withheldLine = (seq: number) => JSON.stringify({ withheld: { seq, entry_hash: sealOf(seq).entry_hash } })
export const checkpointLine = (seq: number) => {
  const form = { tenant_id, seq, chain_hash: sealOf(seq).chain_hash, signed_at: '2026-01-02T03:04:06.000Z' }
  return JSON.stringify({ checkpoint: { ...form, kid: keyId(pem), signature: signed(checkpointText(form)) } })
}
export const endLine = (shape: string, change: Partial<AuditExportEnd> = {}) => {
  const end: AuditExportEnd = {
    tenant_id,
    after: 6 - shape.length,
    seq: 6,
    shape: createHash('sha256').update(shape).digest('hex'),
    head: { seq: 6, chain_hash: sealOf(6).chain_hash },
    last_seal: 6,
    last_checkpoint: 6,
    pending: 0,
    faults: [],
    exported_at: '2026-01-02T03:05:00.000Z',
    kid: keyId(pem),
    ...change,
    signature: '',
  }
  return JSON.stringify({ end: { ...end, signature: signed(exportEndText(end)) } })
}
export const whole = [1, 2, 3, 4, 5, 6].map((seq) => entryLine(seq)).concat(checkpointLine(6), endLine('eeeeee'))
export const part = [
  checkpointLine(2),
  withheldLine(3),
  entryLine(4),
  withheldLine(5),
  withheldLine(6),
  checkpointLine(6),
  endLine('weww'),
]
