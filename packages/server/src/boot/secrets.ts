import { randomBytes } from 'node:crypto'
import { chmod, chown, link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileFault } from '@mandate/edge/file-fault'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { loadSigningKey, newSigningKeyPem, type SigningKeyText } from '../security/signing-key.ts'
import type { Secrets } from './create-services.ts'
import { StartFailure } from './failure.ts'

const Stored = z.object({
  tokenSecret: z.string(),
  vaultKey: z.string(),
  signingKey: z.string(),
  previousSigningKeys: z.array(z.string()).default([]),
})

/**
 * Loads the secrets. Secrets that are not configured are read from `secrets.json` in the data folder (mode 0600). The first
 * start creates this file.
 * @throws if the database has been used but the file is missing: with new secrets, encrypted values could not be decrypted and
 * signatures could not be verified
 */
export async function loadSecrets(config: Config, databaseIsNew: () => Promise<boolean>): Promise<Secrets> {
  const { tokenSecret, vaultKey, signingKey, previousSigningKeys } = config.secrets
  if (tokenSecret && vaultKey && signingKey) return { tokenSecret, vaultKey, signingKey, previousSigningKeys }
  const stored = (await readStored(config.dataDir)) ?? (await makeStored(config.dataDir, databaseIsNew))
  return {
    tokenSecret: tokenSecret ?? stored.tokenSecret,
    vaultKey: vaultKey ?? stored.vaultKey,
    // The current and the previous signing keys must come from the same source. A key from another source would break the
    // chain, in which each key is signed by the key before it.
    ...(signingKey ? { signingKey, previousSigningKeys } : signingKeysOf(stored)),
  }
}

function signingKeysOf({ signingKey, previousSigningKeys }: Secrets): SigningKeyText {
  return { signingKey, previousSigningKeys }
}

/**
 * Reads the secrets file of a data folder. Returns null if the file does not exist.
 * @throws StartFailure if the file is damaged
 */
export async function readStored(dataDir: string): Promise<Secrets | null> {
  const file = fileIn(dataDir)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new StartFailure(`${file} cannot be read: ${fileFault(error) ?? (error as Error).message}`)
  }
  try {
    const stored = Stored.parse(JSON.parse(text))
    loadSigningKey(stored)
    await chmod(file, 0o600)
    return stored
  } catch {
    throw new StartFailure(
      `${file} is damaged. Restore it from a backup; without it, encrypted secrets cannot be read.`,
    )
  }
}

/** Replaces the secrets in a data folder with an atomic rename. The owner of the file does not change. */
export async function replaceStored(dataDir: string, secrets: Secrets): Promise<void> {
  const file = fileIn(dataDir)
  const draft = await writeDraft(file, secrets)
  try {
    const { uid, gid } = await stat(file)
    await chown(draft, uid, gid)
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

const fileIn = (dataDir: string) => join(dataDir, 'secrets.json')

async function makeStored(dataDir: string, databaseIsNew: () => Promise<boolean>): Promise<Secrets> {
  const file = fileIn(dataDir)
  if (!(await databaseIsNew())) {
    throw new StartFailure(
      `${file} is missing, but the database in the same folder is not new and needs the secrets from this file. ` +
        'Restore the file from a backup. ' +
        'Or set MANDATE_TOKEN_SECRET, MANDATE_VAULT_KEY and MANDATE_SIGNING_KEY to the secrets from the file.',
    )
  }
  const made: Secrets = {
    tokenSecret: randomBytes(32).toString('hex'),
    vaultKey: randomBytes(32).toString('hex'),
    signingKey: newSigningKeyPem(),
    previousSigningKeys: [],
  }
  const draft = await writeDraft(file, made)
  // `link` never replaces a file. If another process has created the file meanwhile, the secrets in that file are used.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft, { force: true })
  return (await readStored(dataDir)) ?? made
}

async function writeDraft(file: string, secrets: Secrets): Promise<string> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(secrets, null, 2)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return draft
}
