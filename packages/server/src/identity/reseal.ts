import type { Vault } from './port.ts'

/** What became of secrets that were to be sealed anew. */
export interface Resealed {
  resealed: number
  /** Ids of rows whose secret opens under no key of the vault; they stay as they are. */
  unreadable: string[]
}

interface SealedSecret {
  id: string
  sealed: string
  context: string
}

/** Opens each secret, seals it under the key in force and hands it to `store`. */
export async function resealEach(
  vault: Vault,
  secrets: readonly SealedSecret[],
  store: (id: string, old: string, sealed: string) => Promise<unknown>,
): Promise<Resealed> {
  const unreadable: string[] = []
  for (const { id, sealed, context } of secrets) {
    const secret = opened(vault, sealed, context)
    if (secret === undefined) unreadable.push(id)
    else await store(id, sealed, vault.seal(secret, context))
  }
  return { resealed: secrets.length - unreadable.length, unreadable }
}

function opened(vault: Vault, sealed: string, context: string): string | undefined {
  try {
    return vault.open(sealed, context)
  } catch {
    return undefined
  }
}
