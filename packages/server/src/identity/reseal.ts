import type { Vault } from './port.ts'

/** The result of re-encrypting secrets. */
export interface Resealed {
  resealed: number
  /** Ids of rows whose secret cannot be decrypted with any key of the vault. These rows stay unchanged. */
  unreadable: string[]
}

interface SealedSecret {
  id: string
  sealed: string
  context: string
}

/** Decrypts each secret, encrypts it with the current key, and passes the result to `store`. */
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
