import { createHash, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { privateFolder, readOrMakeSecret } from '../state/private-files.ts'

/** Identifies local callers by their tokens. */
export interface LocalTokens {
  agentOf(token: string): string | null
  /** @throws for an agent that is not served */
  tokenOf(agentId: string): string
}

/**
 * Uses the configured token if there is one. The settings allow it only for a single agent. Otherwise reads one token for
 * each agent from the state folder, and creates missing tokens.
 */
export async function openLocalTokens(
  stateDir: string,
  agentIds: readonly string[],
  given: string | undefined,
): Promise<LocalTokens> {
  const folder = await privateFolder(join(stateDir, 'tokens'))
  const known = await Promise.all(
    agentIds.map(async (agentId) => {
      const token = given ?? (await readOrMakeSecret(join(folder, agentId), 'et_'))
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

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
