import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canonicalJson } from '@mandate/proofs/canonical'
import { expect, onTestFinished, test } from 'vitest'
import { ControlPlaneAway } from '../control-plane/control-plane.ts'
import { StateSeal } from '../state/state-seal.ts'
import { fingerprint, SigningKeys } from './signing-keys.ts'

const away = { ask: () => Promise.reject(new ControlPlaneAway('gone')) }

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
  const signed = (document: object) => {
    const signature = sign(null, Buffer.from(canonicalJson(document)), privateKey).toString('base64')
    return { ...document, signature }
  }
  return { pem, fingerprint: fingerprint(pem) as string, signed }
}

/** A folder with a path so long that only the name of the key file still fits. */
async function narrowFolder(): Promise<string> {
  const outer = await mkdtemp(join(tmpdir(), 'mandate-keys-'))
  onTestFinished(() => rm(outer, { recursive: true }))
  let folder = outer
  const longest = (process.platform === 'linux' ? 4095 : 1023) - '/signing-keys-12345678.json'.length
  while (folder.length < longest - 1) folder = join(folder, 'x'.repeat(Math.min(200, longest - 1 - folder.length)))
  await mkdir(folder, { recursive: true })
  return folder
}

test('keys before the configured one are not trusted, even if their file cannot be written', async () => {
  const folder = await narrowFolder()
  const [older, told] = [newKey(), newKey()]
  const keys = [older, told].map(({ pem }) => ({ public_key_pem: pem }))
  const seal = new StateSeal('ek_test')
  await writeFile(seal.fileIn(folder, 'signing-keys'), seal.seal('signing keys', JSON.stringify({ keys })))
  const trusted = await SigningKeys.open(folder, away, told.fingerprint, seal)
  expect(await trusted.signed(told.signed({ seq: 1 }))).toBe(true)
  expect(await trusted.signed(older.signed({ seq: 1 }))).toBe(false)
})
