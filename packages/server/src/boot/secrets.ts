import { randomBytes } from 'node:crypto'
import { chmod, link, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { newSigningKeyPem } from '../security/signing-key.ts'
import type { Secrets } from './create-services.ts'
import { StartFailure } from './failure.ts'

const Stored = z.object({ tokenSecret: z.string(), vaultKey: z.string(), signingKey: z.string() })

/**
 * The secrets: those of the configuration, the rest from `secrets.json` in the data folder (0600), which is made on first
 * start. A database that has been used without its file is refused: what was sealed and signed would be lost unnoticed.
 */
export async function loadSecrets(config: Config, databaseIsNew: () => Promise<boolean>): Promise<Secrets> {
  const { tokenSecret, vaultKey, signingKey } = config.secrets
  if (tokenSecret && vaultKey && signingKey) return { tokenSecret, vaultKey, signingKey }
  const file = join(config.dataDir, 'secrets.json')
  const stored = (await readStored(file)) ?? (await makeStored(file, databaseIsNew))
  return {
    tokenSecret: tokenSecret ?? stored.tokenSecret,
    vaultKey: vaultKey ?? stored.vaultKey,
    signingKey: signingKey ?? stored.signingKey,
  }
}

async function readStored(file: string): Promise<Secrets | null> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new StartFailure(`${file} cannot be read: ${(error as Error).message}`)
  }
  try {
    const stored = Stored.parse(JSON.parse(text))
    await chmod(file, 0o600)
    return stored
  } catch {
    throw new StartFailure(`${file} is damaged. Put it back from a backup; without it, sealed secrets cannot be read.`)
  }
}

async function makeStored(file: string, databaseIsNew: () => Promise<boolean>): Promise<Secrets> {
  if (!(await databaseIsNew())) {
    throw new StartFailure(
      `${file} is missing, and the database beside it has been used with it. Put it back from a backup, ` +
        'or set MANDATE_TOKEN_SECRET, MANDATE_VAULT_KEY and MANDATE_SIGNING_KEY.',
    )
  }
  const made: Secrets = {
    tokenSecret: randomBytes(32).toString('hex'),
    vaultKey: randomBytes(32).toString('hex'),
    signingKey: newSigningKeyPem(),
  }
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(made, null, 2)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  // Linking never replaces: whatever stands there by now is what counts.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft, { force: true })
  return (await readStored(file)) ?? made
}
