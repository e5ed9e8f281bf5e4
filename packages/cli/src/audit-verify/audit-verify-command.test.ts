import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { keyId } from '@mandate/proofs/audit-chain'
import { successionText } from '@mandate/proofs/key-succession'
import { entry, otherPem, part, pem, signed, whole } from '@mandate/proofs/testing/signed-export'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { auditVerifyCommand } from './audit-verify-command.ts'
import { loadKeys } from './load-keys.ts'

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
    const notes = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await auditVerifyCommand(await file('viewer.ndjson', JSON.stringify(entry(1))), { key })
    expect(JSON.parse(printed)).toEqual({ verifiable: false, reason: 'exported without seals', entries: 1 })
    expect(process.exitCode).toBe(3)
    printed = ''
    await auditVerifyCommand(await file('emptied.ndjson', ''), { key })
    expect(JSON.parse(printed)).toMatchObject({ valid: false, first_bad: { reason: 'head_missing' } })
    expect(notes).toHaveBeenLastCalledWith(expect.stringContaining('the file is empty and proves nothing'))
    expect(process.exitCode).toBe(1)
    printed = ''
    await auditVerifyCommand(await file('cut.ndjson', whole.slice(0, -1).join('\n')), { key })
    expect(JSON.parse(printed)).toMatchObject({ valid: false, first_bad: { reason: 'head_missing' } })
    expect(notes).toHaveBeenCalledTimes(2)
    printed = ''
    const through = `3:${'ab'.repeat(32)}`
    await auditVerifyCommand(await file('good.ndjson', whole.join('\r\n')), { key, through })
    expect(JSON.parse(printed)).toMatchObject({ valid: false, first_bad: { reason: 'head_changed' } })
    expect(process.exitCode).toBe(1)
  })

  it('reads an export that an editor saved, and refuses an archive and another encoding', async () => {
    const key = await file('key.pem', pem)
    const text = whole.join('\r\n')
    await auditVerifyCommand(await file('marked.ndjson', `\uFEFF${text}\r\n\r\n`), { key })
    expect(JSON.parse(printed)).toMatchObject({ valid: true, entries: 6 })
    for (const bytes of [gzipSync(text), Buffer.from(`\uFEFF${text}`, 'utf16le'), Buffer.from(text, 'utf16le')]) {
      const path = join(folder, 'other')
      await writeFile(path, bytes)
      await expect(auditVerifyCommand(path, { key })).rejects.toThrow('is not text in UTF-8; unpack it')
    }
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
    const signature = signed(successionText(pem, otherPem))
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
    expect(await loadKeys(await file('marked.json', `\uFEFF${list}`))).toEqual([pem])
    expect(await loadKeys(await file('marked.pem', `\uFEFF${pem}`))).toEqual([pem])
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
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const gone = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`
    await new Promise((resolve) => closed.close(resolve))
    await expect(loadKeys(`${gone}/keys`)).rejects.toThrow(`${gone} cannot be reached (ECONNREFUSED)`)
  })
})
