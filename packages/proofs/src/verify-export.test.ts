import { exportEndForm } from '@mandate/contract/audit/sealed-forms'
import fc from 'fast-check'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { keyId } from './audit-chain.ts'
import { canonicalJson } from './canonical.ts'
import {
  checkpointLine,
  endLine,
  entry,
  entryLine,
  otherPem,
  part,
  pem,
  sealOf,
  signed,
  tenant_id,
  whole,
  withheldLine,
} from './testing/signed-export.ts'
import { type VerifyOptions, verifyExport } from './verify-export.ts'

// The same code with the cryptography of browsers, as the dashboard runs it.
vi.doMock('#crypto', () => import('./crypto/browser.ts'))
vi.resetModules()
const { verifyExport: verifyInBrowser } = await import('./verify-export.ts')
afterAll(() => {
  vi.doUnmock('#crypto')
  vi.resetModules()
})

async function* each(lines: readonly string[]) {
  yield* lines
}
/** Verifies as the command line and as a browser do. Both have the same outcome. */
async function verify(lines: readonly string[], options: VerifyOptions = {}, keys: string | string[] = pem) {
  const outcome = await verifyExport(each(lines), keys, options)
  expect(await verifyInBrowser(each(lines), keys, options)).toEqual(outcome)
  return outcome
}

describe('verifying an export offline', () => {
  it('accepts a whole chain, whatever keys its details have', async () => {
    const head = { seq: 6, chain_hash: sealOf(6).chain_hash }
    const counts = { entries: 6, after: 0, withheld: 0, pending: 0 }
    const verdict = { valid: true, tenant_id, ...counts, head, exported_at: '2026-01-02T03:05:00.000Z' }
    expect(await verify(whole)).toEqual({ ...verdict, signed_by: [keyId(pem)] })
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
    expect(await verify(whole, {}, otherPem)).toMatchObject({
      valid: false,
      first_bad: { reason: 'checkpoint_unverified', seq: 6 },
    })
    expect(await verify(whole, {}, [otherPem, pem])).toMatchObject({ valid: true })
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

  const signedTwice = [1, 2, 3].map((seq) => entryLine(seq)).concat(checkpointLine(3), whole.slice(3))
  const fields = signedTwice.flatMap((line, at) => pathsOf(JSON.parse(line)).map((path) => ({ at, path })))
  const changed = ({ at, path }: (typeof fields)[0], value: unknown) =>
    signedTwice.with(at, JSON.stringify(withField(JSON.parse(signedTwice[at] as string), path, value)))

  it('detects a change of any field of any line', { timeout: 120_000 }, async () => {
    expect(await verify(signedTwice)).toMatchObject({ valid: true, entries: 6 })
    expect(fields.length).toBeGreaterThan(150)
    for (const field of fields) {
      for (const value of [undefined, null, '', 0, 7, 'x', '0'.repeat(64), {}, [], true]) {
        const lines = changed(field, value)
        if (lines[field.at] === signedTwice[field.at]) continue
        const outcome = await verifyExport(each(lines), pem)
        expect(outcome, `${field.path} is ${JSON.stringify(value)}`).toMatchObject({ valid: false })
      }
      await verify(changed(field, 'x'))
    }
  })

  it('detects a field that an entry did not have', async () => {
    for (const name of ['api_key', 'agent_id', 'environment_id', 'approved_by', 'seq', '__proto__x']) {
      for (const value of [null, '', 0, false, {}, [], 'x']) {
        expect(await verify(whole.with(2, entryLine(3, { [name]: value })))).toMatchObject({ valid: false })
      }
    }
  })

  it('accepts no content that no hash or signature covers', async () => {
    const named = { actor: { ...entry(3).actor, agent: 'x' } }
    const sealed = JSON.stringify({ ...entry(3), seal: { ...sealOf(3), note: 'x' } })
    const twice = entryLine(3).replace('"outcome":', '"outcome":"failure","outcome":')
    const escaped = entryLine(3).replace('"outcome":', '"\\u006futcome":"failure","outcome":')
    for (const line of [entryLine(3, named), sealed, twice, escaped])
      expect(await verify(whole.with(2, line))).toMatchObject({ first_bad: { reason: 'line_unreadable' } })
    const beside = (line: string) => JSON.stringify({ ...entry(5), ...JSON.parse(line) })
    const noted = JSON.stringify({ withheld: { ...JSON.parse(withheldLine(3)).withheld, event_type: 'x' } })
    const { checkpoint } = JSON.parse(checkpointLine(2))
    const others: [number, string][] = [
      [0, beside(part[0] as string)],
      [0, JSON.stringify({ checkpoint: { ...checkpoint, note: 'x' } })],
      [1, beside(part[1] as string)],
      [1, noted],
      [6, beside(part[6] as string)],
      [6, (part[6] as string).replace('"after":', '"after":0,"after":')],
    ]
    for (const [at, line] of others) expect(await verify(part.with(at, line)), line).toMatchObject({ valid: false })
  })

  it('reads a text of any length', async () => {
    const long = entryLine(3, { details: { text: 'x'.repeat(10_000_000) } })
    expect(await verify(whole.with(2, long))).toMatchObject({ first_bad: { reason: 'entry_changed' } })
  })

  it('accepts no last line that was signed for another purpose', async () => {
    const { end } = JSON.parse(whole[7] as string)
    const signature = signed(canonicalJson({ ...exportEndForm(end), purpose: 'another' }))
    const line = JSON.stringify({ end: { ...end, purpose: 'another', signature } })
    expect(await verify(whole.with(7, line))).toMatchObject({ first_bad: { reason: 'checkpoint_unverified' } })
  })

  it('rejects a signature that is written in another way', async () => {
    const { signature } = JSON.parse(whole[6] as string).checkpoint as { signature: string }
    const last = 'AQgw'.indexOf(signature[85] as string)
    const others = [`${signature}=`, signature.slice(0, -2), ` ${signature}`, `${signature}\n`, `${signature}!`]
    for (const other of [...others, `${signature.slice(0, 85)}${'BRhx'[last]}==`]) {
      const checkpoint = whole[6]?.replace(JSON.stringify(signature), JSON.stringify(other)) as string
      expect(await verify(whole.with(6, checkpoint))).toMatchObject({
        first_bad: { reason: 'checkpoint_unverified', seq: 6 },
      })
    }
  })

  it('detects a removed checkpoint between two others, and a line of two kinds', async () => {
    const without = signedTwice.toSpliced(3, 1)
    expect(await verify(without)).toMatchObject({ valid: true })
    expect(await verify(signedTwice.toSpliced(7, 1))).toMatchObject({ first_bad: { reason: 'checkpoint_missing' } })
    const both = JSON.stringify({ ...JSON.parse(withheldLine(3)), ...JSON.parse(entryLine(3)) })
    expect(await verify(whole.with(2, both))).toMatchObject({ first_bad: { reason: 'line_unreadable', seq: 2 } })
  })

  it('hands over each entry that was checked, and none after a fault', async () => {
    const seen: string[] = []
    const onEntry: VerifyOptions['onEntry'] = ({ id }, { seq }) => void seen.push(`${seq} ${id}`)
    await verifyExport(each(part), pem, { onEntry })
    await verifyExport(each(whole.with(1, entryLine(2, { outcome: 'failure' }))), pem, { onEntry })
    expect(seen).toEqual([`4 ${entry(4).id}`, `1 ${entry(1).id}`])
  })
})

/** The places of all fields of a JSON value. */
function pathsOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => [[...path, name], ...pathsOf(part, [...path, name])])
}

/** A JSON value with another value at a place; undefined removes the field. */
function withField(value: unknown, [name, ...rest]: readonly string[], given: unknown): unknown {
  if (name === undefined) return given
  const fields = Object.entries(value as object).map(([key, part]) =>
    key === name ? [key, withField(part, rest, given)] : [key, part],
  )
  return Object.fromEntries(fields)
}
