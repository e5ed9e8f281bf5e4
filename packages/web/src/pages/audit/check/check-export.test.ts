import { genesisHash } from '@mandate/contract/audit/sealed-forms'
import { keyId } from '@mandate/proofs/audit-chain'
import {
  endLine,
  entry,
  entryLine,
  otherPem,
  part,
  pem,
  sealOf,
  tenant_id,
  whole,
} from '@mandate/proofs/testing/signed-export'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Entry } from '../entry-sentence.ts'
import { checkExport, type Outcome } from './check-export.ts'
import { outcomeLook, outcomeNotes, outcomeText } from './check-words.ts'

const listed = (seq: number, change: Partial<Entry> = {}): Entry => {
  const { tenant_id: _tenant, category: _category, ...fields } = entry(seq)
  const previous_hash = seq === 1 ? genesisHash : sealOf(seq - 1).chain_hash
  return { ...fields, seq, hash: sealOf(seq).chain_hash, previous_hash, ...change } as Entry
}
const list = [6, 5, 4, 3, 2, 1].map((seq) => listed(seq))
const keys = [{ public_key_pem: pem }]
const check = (lines: readonly string[], shown: readonly Entry[] = list, more = {}) => {
  const chunks = [new TextEncoder().encode(`${lines.join('\n')}\n`)]
  return checkExport({ chunks, keys, tenantId: tenant_id, shown, ...more }, async () => {})
}
const plain = (outcome: Outcome, hasSeals = true) =>
  [outcomeText(outcome, hasSeals), ...outcomeNotes(outcome, 0, hasSeals)].join(' ').replaceAll('\u00a0', ' ')

describe('the check of an export in the browser', () => {
  it('finds that all entries fit, and how many there are', async () => {
    const outcome = await check(whole)
    expect(outcome).toMatchObject({ is: 'fits', verdict: { valid: true, entries: 6 } })
    expect(plain(outcome)).toMatch(/^6 entries were checked, and all fit, through entry 6\. Each entry has the content/)
    expect(plain(await check(part, [listed(4)]))).toMatch(
      /^1 entry .* 3 other entries are .* The check begins after entry 2/,
    )
    const waiting = [listed(6, { seq: undefined, hash: undefined }), ...list.slice(1)]
    expect(await check(whole, waiting)).toMatchObject({ is: 'fits', unchecked: 0 })
  })

  it('finds an entry that was added without a seal, and leaves out those that wait for one', async () => {
    const added = {
      ...listed(6),
      id: tenant_id,
      seq: undefined,
      hash: undefined,
      previous_hash: undefined,
    } as unknown as Entry
    const outcome = await check(whole, [added, ...list])
    expect(outcome).toMatchObject({ is: 'misfit', misfit: { reason: 'entry_unsealed', entry: added } })
    expect(plain(outcome)).toMatch(/^An entry does not fit: it was added without a seal/)
    const pending = whole.with(-1, endLine('eeeeee', { pending: 1 }))
    const unsure = await check(pending, [added, ...list])
    expect(unsure).toMatchObject({ is: 'fits', unchecked: 1 })
    expect(outcomeLook(unsure, true).word).toBe('Checked entries fit')
    expect(plain(unsure)).toContain('1 entry of this list has no seal yet and was not checked.')
  })

  it('names the keys that signed, not those of the list', async () => {
    expect(plain(await check(whole))).toContain(`The signatures are by the key ${keyId(pem)}.`)
  })

  it('names the first entry that does not fit, as the page has it', async () => {
    const changed = await check(whole.with(3, entryLine(4, { outcome: 'failure' })))
    expect(changed).toMatchObject({ is: 'misfit', misfit: { reason: 'entry_changed', seq: 4, entry: list[2] } })
    expect(plain(changed)).toBe('Entry 4 does not fit: its content is not the content that was sealed.')
    const gone = await check(whole.toSpliced(2, 1))
    expect(gone).toMatchObject({ is: 'misfit', misfit: { reason: 'seal_missing', seq: 3, entry: list[3] } })
  })

  it('names an entry that the page does not show, as the export has it', async () => {
    const outcome = await check(whole.with(3, entryLine(4, { outcome: 'failure' })), [listed(1)])
    const found = { id: entry(4).id, seq: 4, outcome: 'failure' }
    expect(outcome).toMatchObject({ is: 'misfit', misfit: { seq: 4, entry: found } })
  })

  const others: [string, Entry][] = [
    ['another detail', listed(3, { details: { n: 9 } })],
    ['another name', listed(3, { resource: { type: 'user', id: tenant_id, name: 'Mallory' } })],
    ['another number', listed(3, { seq: 2 })],
    ['another hash', listed(3, { hash: sealOf(2).chain_hash })],
    ['another hash before', listed(3, { previous_hash: sealOf(1).chain_hash })],
  ]
  it.each(others)('finds an entry that the page shows with %s than the sealed entry has', async (_, other) => {
    const outcome = await check(whole, list.with(3, other))
    expect(outcome).toMatchObject({ is: 'misfit', misfit: { reason: 'shown_otherwise', seq: 3, entry: other } })
    expect(plain(outcome)).toMatch(/The export fits by itself/)
  })

  it('finds an entry that the page shows and the export does not have', async () => {
    expect(await check(part, list.slice(1, 4))).toMatchObject({ misfit: { reason: 'not_exported', seq: 3 } })
  })

  it('proves nothing without seals, and says why', async () => {
    const outcome = await check([1, 2].map((seq) => JSON.stringify(entry(seq))))
    expect(outcome).toEqual({ is: 'not verifiable' })
    expect(plain(outcome, false)).toMatch(/has no seals.*managers and owners/)
    expect(plain(outcome)).toBe('The export has no seals, and yours must have them. Somebody removed them.')
  })

  it('does not trust other keys, keys without a succession, or the trail of another organization', async () => {
    const bad = { misfit: { reason: 'checkpoint_unverified' } }
    expect(await check(whole, list, { keys: [{ public_key_pem: otherPem }] })).toMatchObject(bad)
    const unvouched = await check(whole, list, { keys: [{ public_key_pem: otherPem }, ...keys] })
    expect(plain(unvouched)).toMatch(/^The key \w{16} did not sign its successor \w{16}\. Do not trust/)
    const foreign = { misfit: { reason: 'entry_changed', seq: 1 } }
    expect(await check(whole, list, { tenantId: otherPem })).toMatchObject(foreign)
    expect(await check(whole.with(-1, endLine('eeeeee').replace('"pending":0', '"pending":3')))).toMatchObject(bad)
  })

  it('lets the page work between slices, and says how far it is', async () => {
    let now = 0
    onTestFinished(() => void vi.restoreAllMocks())
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 5))
    const counts: number[] = []
    const chunks = [new TextEncoder().encode(whole.join('\n'))]
    await checkExport({ chunks, keys, tenantId: tenant_id, shown: list }, async (count) => void counts.push(count))
    expect(counts.length).toBeGreaterThan(1)
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  })
})
