import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { privateFolder } from '../state/private-files.ts'

/** Says which agent a local caller is. */
export interface LocalTokens {
  agentOf(token: string): string | null
  /** @throws for an agent that is not served */
  tokenOf(agentId: string): string
}

/** The token that is given, for a single agent; else one of each agent's own, made once and kept in the state folder. */
export async function openLocalTokens(
  stateDir: string,
  agentIds: readonly string[],
  given: string | undefined,
): Promise<LocalTokens> {
  const folder = await privateFolder(join(stateDir, 'tokens'))
  const known = await Promise.all(
    agentIds.map(async (agentId) => {
      const token = given ?? (await readOrMake(join(folder, agentId)))
      return { agentId, token, digest: digestOf(token) }
    }),
  )
  return {
    agentOf(token) {
      const digest = digestOf(token)
      return known.find((one) => timingSafeEqual(one.digest, digest))?.agentId ?? null
    },
    tokenOf(agentId) {
      const found = known.find((one) => one.agentId === agentId)
      if (!found) throw new Error(`agent ${agentId} is not served by this edge`)
      return found.token
    },
  }
}

async function readOrMake(file: string): Promise<string> {
  const made = `et_${randomBytes(32).toString('hex')}`
  await writeFile(file, made, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const kept = (await readFile(file, 'utf8')).trim()
  if (kept.length < 32) throw new Error(`${file} holds no token; remove it and one is made`)
  return kept
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
