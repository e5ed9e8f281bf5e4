import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AuditExportEnd, genesisHash, type SealableEntry } from '@mandate/contract/audit/audit-chain'
import { checkpointText, entryHash, exportEndText, keyId, nextChainHash } from '@mandate/proofs/audit-chain'
import { successionText } from '@mandate/proofs/key-succession'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { auditVerifyCommand } from './audit-verify-command.ts'
import { loadKeys } from './load-keys.ts'
import { verifyExport } from './verify-export.ts'

const pair = generateKeyPairSync('ed25519')
const pem = pair.publicKey.export({ type: 'spki', format: 'pem' }) as string
const otherPem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }) as string
const tenant_id = '01900000-0000-7000-8000-000000000001'

function entry(n: number): SealableEntry {
  return {
    tenant_id,
    category: 'people',
    id: `01900000-0000-7000-8000-0000000001${String(n).padStart(2, '0')}`,
    source: 'control_plane',
    event_type: n === 1 ? 'tenant.created' : 'user.invited',
    outcome: 'success',
    actor: { type: 'system', user_id: null, name: 'system', email: '' },
    resource: { type: 'user', id: tenant_id, name: 'Grace' },
    details: JSON.parse(`{"n": ${n}, "__proto__": {"kept": true}}`),
    request_id: 'r',
    ip: '',
    user_agent: '',
    created_at: '2026-01-02T03:04:05.006Z',
  }
}

let hash = genesisHash
const seals = Array.from({ length: 6 }, (_, index) => {
  const entry_hash = entryHash(entry(index + 1))
  hash = nextChainHash(hash, index + 1, entry_hash)
  return { seq: index + 1, entry_hash, chain_hash: hash }
})
const sealOf = (seq: number) => seals[seq - 1] as (typeof seals)[0]
const entryLine = (seq: number, change = {}) => JSON.stringify({ ...entry(seq), ...change, seal: sealOf(seq) })
const withheldLine = (seq: number) => JSON.stringify({ withheld: { seq, entry_hash: sealOf(seq).entry_hash } })
const checkpointLine = (seq: number) => {
  const form = { tenant_id, seq, chain_hash: sealOf(seq).chain_hash, signed_at: '2026-01-02T03:04:06.000Z' }
  const signature = sign(null, Buffer.from(checkpointText(form)), pair.privateKey).toString('base64')
  return JSON.stringify({ checkpoint: { ...form, kid: keyId(pem), signature } })
}
const endLine = (shape: string, change: Partial<AuditExportEnd> = {}) => {
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
  const signature = sign(null, Buffer.from(exportEndText(end)), pair.privateKey).toString('base64')
  return JSON.stringify({ end: { ...end, signature } })
}
const whole = [1, 2, 3, 4, 5, 6].map((seq) => entryLine(seq)).concat(checkpointLine(6), endLine('eeeeee'))
const part = [
  checkpointLine(2),
  withheldLine(3),
  entryLine(4),
  withheldLine(5),
  withheldLine(6),
  checkpointLine(6),
  endLine('weww'),
]

async function* each(lines: readonly string[]) {
  yield* lines
}
const verify = (lines: readonly string[], options = {}) => verifyExport(each(lines), pem, options)

describe('verifying an export offline', () => {
  it('accepts a whole chain, whatever keys its details have', async () => {
    const head = { seq: 6, chain_hash: sealOf(6).chain_hash }
    const counts = { entries: 6, after: 0, withheld: 0, pending: 0 }
    const verdict = { valid: true, tenant_id, ...counts, head, exported_at: '2026-01-02T03:05:00.000Z' }
    expect(await verify(whole)).toEqual(verdict)
    expect(await verify([...whole.slice(0, 3), '', ...whole.slice(3), ' '])).toMatchObject({ valid: true })
  })

  it('accepts a filtered part between two checkpoints, with hashes for withheld entries', async () => {
    expect(await verify(part)).toMatchObject({ valid: true, entries: 1, after: 2, withheld: 3, head: { seq: 6 } })
  })

  it('accepts an export without entries by its checkpoint and last line, and rejects an empty file', async () => {
    expect(await verify([checkpointLine(6), endLine('')])).toMatchObject({ valid: true, entries: 0, after: 6 })
    expect(await verify([])).toMatchObject({ valid: false, first_bad: { reason: 'head_missing' } })
  })

  it('accepts a withheld entry but not a missing entry, and with --complete accepts neither', async () => {
    const missing = { missing: { seq: 3, entry_hash: sealOf(3).entry_hash } }
    const gone = { valid: false, first_bad: { reason: 'entry_missing', seq: 3 } }
    expect(await verify(whole.with(2, JSON.stringify(missing)))).toMatchObject(gone)
    expect(await verify(part.with(1, JSON.stringify(missing)))).toMatchObject(gone)
    const withheld = whole.with(2, withheldLine(3)).with(-1, endLine('eeweee'))
    expect(await verify(withheld)).toMatchObject({ valid: true, withheld: 1 })
    expect(await verify(withheld, { complete: true })).toMatchObject({
      valid: false,
      first_bad: { reason: 'export_incomplete', seq: 6 },
    })
    expect(await verify(whole, { complete: true })).toMatchObject({ valid: true })
  })

  it('with --complete, requires the first entry, the head, and no pending entries', async () => {
    const incomplete = { valid: false, first_bad: { reason: 'export_incomplete' } }
    const pending = whole.with(-1, endLine('eeeeee', { pending: 2 }))
    expect(await verify(pending)).toMatchObject({ valid: true, pending: 2 })
    expect(await verify(pending, { complete: true })).toMatchObject(incomplete)
    const late = [checkpointLine(4), entryLine(5), entryLine(6), checkpointLine(6), endLine('ee')]
    expect(await verify(late)).toMatchObject({ valid: true, after: 4 })
    expect(await verify(late, { complete: true })).toMatchObject(incomplete)
    const early = [entryLine(1), entryLine(2), checkpointLine(2), endLine('ee', { after: 0, seq: 2 })]
    expect(await verify(early)).toMatchObject({ valid: true, entries: 2, head: { seq: 2 } })
    expect(await verify(early, { complete: true })).toMatchObject(incomplete)
  })

  it('rejects the trail of an organization other than the given one', async () => {
    expect(await verify(whole, { tenantId: tenant_id })).toMatchObject({ valid: true })
    expect(await verify(whole, { tenantId: tenant_id.replace('1', '2') })).toMatchObject({ valid: false, entries: 0 })
  })

  it('reports faults outside the chain that the service listed in the export', async () => {
    const fault = { reason: 'entry_unauthenticated', entry_id: entry(1).id } as const
    expect(await verify(whole.with(-1, endLine('eeeeee', { faults: [fault] })))).toMatchObject({ first_bad: fault })
  })

  it('calls an export not verifiable only if every line is an entry without a seal', async () => {
    const unsealed = [1, 2, 3, 4, 5, 6].map((seq) => JSON.stringify(entry(seq)))
    const line = fc.oneof(fc.constantFrom(...unsealed), fc.constantFrom(...whole, withheldLine(2), '{"a":1}', '{'))
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
        const isUnsealed = lines.length > 0 && lines.every((one) => unsealed.includes(one))
        const outcome = { verifiable: false, reason: 'exported without seals', entries: lines.length }
        expect(await verify(lines)).toEqual(isUnsealed ? outcome : expect.objectContaining({ valid: false }))
        if (isUnsealed) expect(await verify(lines, { complete: true })).toEqual(outcome)
      }),
    )
  })

  const harms: [string, (lines: string[]) => string[], object][] = [
    [
      'an altered entry',
      (lines) => lines.with(2, entryLine(3, { outcome: 'failure' })),
      { reason: 'entry_changed', seq: 3 },
    ],
    [
      'an altered detail',
      (lines) => lines.with(2, entryLine(3, { details: { n: 3 } })),
      { reason: 'entry_changed', seq: 3 },
    ],
    ['a removed line', (lines) => lines.toSpliced(2, 1), { reason: 'seal_missing', seq: 3 }],
    ['two lines swapped', (lines) => lines.with(1, lines[2]!).with(2, lines[1]!), { reason: 'seal_missing', seq: 2 }],
    ['a line twice', (lines) => lines.toSpliced(2, 0, lines[1]!), { reason: 'seal_missing', seq: 3 }],
    ['the last entry cut', (lines) => lines.toSpliced(5, 1), { reason: 'seal_missing', seq: 6 }],
    ['the end cut', (lines) => lines.slice(0, 5), { reason: 'head_missing', seq: 5 }],
    [
      'the end cut, the last line kept',
      (lines) => [...lines.slice(0, 5), lines[7]!],
      { reason: 'seal_missing', seq: 6 },
    ],
    ['the last line cut', (lines) => lines.slice(0, 7), { reason: 'head_missing', seq: 6 }],
    [
      'the last line changed',
      (lines) => lines.with(7, lines[7]!.replace('"pending":0', '"pending":1')),
      { reason: 'checkpoint_unverified' },
    ],
    ['a line after the last', (lines) => [...lines, lines[0]!], { reason: 'export_changed', seq: 6 }],
    ['an entry marked as withheld', (lines) => lines.with(2, withheldLine(3)), { reason: 'export_changed' }],
    [
      'the beginning cut up to a checkpoint',
      (lines) => [checkpointLine(2), ...lines.slice(2)],
      { reason: 'seal_missing', seq: 1 },
    ],
    ['the beginning cut', (lines) => lines.slice(1), { reason: 'seal_missing', seq: 1 }],
    [
      'an entry after the signature',
      (lines) => [...lines.slice(0, 4), checkpointLine(4), lines[4]!, lines[5]!, lines[7]!],
      { reason: 'checkpoint_missing', seq: 6 },
    ],
    [
      'a wrong hash of a withheld entry',
      (lines) => [withheldLine(2).replace('"seq":2', '"seq":1'), ...lines.slice(1)],
      { reason: 'seal_changed', seq: 2 },
    ],
    ['a broken line', (lines) => lines.with(3, '{"seal":'), { reason: 'line_unreadable', seq: 3 }],
    ['a line of something else', (lines) => lines.with(3, '{"a":1}'), { reason: 'line_unreadable', seq: 3 }],
    [
      'an entry without its seal',
      (lines) => lines.with(3, JSON.stringify(entry(4))),
      { reason: 'line_unreadable', seq: 3 },
    ],
  ]
  it.each(harms)('detects %s', async (_, harm, first_bad) => {
    expect(await verify(harm(whole))).toMatchObject({ valid: false, first_bad })
  })

  it('rejects a checkpoint that none of the given keys signed', async () => {
    expect(await verifyExport(each(whole), otherPem)).toMatchObject({
      valid: false,
      first_bad: { reason: 'checkpoint_unverified', seq: 6 },
    })
    expect(await verifyExport(each(whole), [otherPem, pem])).toMatchObject({ valid: true })
  })

  it('requires that the export contains the head given by --through', async () => {
    expect(await verify(whole, { through: sealOf(3) })).toMatchObject({ valid: true })
    const other = { seq: 3, chain_hash: 'ab'.repeat(32) }
    expect(await verify(whole, { through: other })).toMatchObject({ first_bad: { reason: 'head_changed', seq: 3 } })
    const later = { seq: 9, chain_hash: 'ab'.repeat(32) }
    expect(await verify(whole, { through: later })).toMatchObject({ first_bad: { reason: 'seal_missing', seq: 9 } })
    expect(await verify(part, { through: sealOf(5) })).toMatchObject({ valid: true })
    expect(await verify(part, { through: sealOf(1) })).toMatchObject({ valid: false })
  })
})

describe('mandate audit verify', () => {
  let folder: string
  let printed: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mandate-verify-'))
    printed = ''
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += text
      return true
    })
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    process.exitCode = undefined
    await rm(folder, { recursive: true })
  })
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text)
    return join(folder, name)
  }

  it('prints the verdict and sets exit code 1 for an invalid export', async () => {
    const key = await file('key.pem', pem)
    await auditVerifyCommand(await file('good.ndjson', `${whole.join('\n')}\n`), { key })
    expect(JSON.parse(printed)).toMatchObject({ valid: true, entries: 6 })
    expect(process.exitCode).toBeUndefined()
    printed = ''
    await auditVerifyCommand(await file('part.ndjson', part.join('\n')), { key, complete: true })
    expect(JSON.parse(printed)).toMatchObject({ valid: false, first_bad: { reason: 'export_incomplete' } })
    expect(process.exitCode).toBe(1)
    printed = ''
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await auditVerifyCommand(await file('viewer.ndjson', JSON.stringify(entry(1))), { key })
    expect(JSON.parse(printed)).toEqual({ verifiable: false, reason: 'exported without seals', entries: 1 })
    expect(process.exitCode).toBe(3)
    printed = ''
    const through = `3:${'ab'.repeat(32)}`
    await auditVerifyCommand(await file('good.ndjson', whole.join('\r\n')), { key, through })
    expect(JSON.parse(printed)).toMatchObject({ valid: false, first_bad: { reason: 'head_changed' } })
    expect(process.exitCode).toBe(1)
  })

  it('describes a missing file, an invalid key and an invalid --through', async () => {
    const key = await file('key.pem', pem)
    await expect(auditVerifyCommand(join(folder, 'none'), { key })).rejects.toThrow('ENOENT')
    await expect(auditVerifyCommand(key, { key: await file('x', 'nonsense') })).rejects.toThrow(
      'contains no public key',
    )
    await expect(auditVerifyCommand(key, { key: await file('y', '{"keys":[]}') })).rejects.toThrow('no public key')
    await expect(auditVerifyCommand(key, { key, through: '3' })).rejects.toThrow('--through must be')
  })

  it('reads the service’s key list from a file or over HTTP, if each key signed its successor', async () => {
    const list = JSON.stringify({ keys: [{ kid: keyId(pem), public_key_pem: pem }] })
    const signature = sign(null, Buffer.from(successionText(pem, otherPem)), pair.privateKey).toString('base64')
    const rotated = (successor?: object) =>
      JSON.stringify({ keys: [{ public_key_pem: otherPem }, { public_key_pem: pem, successor }] })
    expect(await loadKeys(await file('rotated.json', rotated({ kid: keyId(otherPem), signature })))).toEqual([
      otherPem,
      pem,
    ])
    for (const successor of [undefined, { kid: keyId(otherPem), signature: 'AAAA' }]) {
      await expect(loadKeys(await file('forged.json', rotated(successor)))).rejects.toThrow(
        `the key ${keyId(pem)} did not sign its successor ${keyId(otherPem)}; do not trust the keys from this source`,
      )
    }
    expect(await loadKeys(await file('keys.json', list))).toEqual([pem])
    const http = createServer((request, response) => {
      response.writeHead(request.url === '/keys' ? 200 : 404).end(list)
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => http.once('listening', resolve))
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    try {
      expect(await loadKeys(`${url}/keys`)).toEqual([pem])
      await expect(loadKeys(`${url}/other`)).rejects.toThrow('responded with status 404')
    } finally {
      http.close()
    }
  })
})
