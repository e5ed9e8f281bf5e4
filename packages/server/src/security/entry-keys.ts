import { createHash, createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'

const idBytes = 8
const macBytes = 32

/** Why a MAC is not valid. If its key is unknown, the key may belong to another instance, or may be too old. */
export type MacFault = 'mac_missing' | 'mac_wrong' | 'key_unknown'

/**
 * Computes and checks the MACs of audit entries. A MAC protects an entry against changes from the time it is written until it
 * is sealed (added to the chain of hashes). The database does not contain the keys.
 */
export interface EntryKeys {
  /** The ids of all keys, 8 bytes each. The current key is the first. */
  ids: readonly Buffer[]
  /**
   * Returns the id of the current key (8 bytes), followed by an HMAC-SHA-256 (32 bytes). `entryHash` is the hash of the entry
   * as 64 hexadecimal digits.
   */
  mac(entryHash: string): Buffer
  /** Returns the fault of a MAC. Returns undefined if the MAC is valid for this entry under one of the keys. */
  faultOf(mac: Buffer | null, entryHash: string): MacFault | undefined
}

/**
 * Derives the keys that authenticate audit entries from the vault key. MACs that were made with previous vault keys
 * (`previous`) are still accepted. All keys are 64 hexadecimal digits.
 */
export function entryKeysOf(vaultKey: string, previous: readonly string[]): EntryKeys {
  const keys = [vaultKey, ...previous].map(deriveKey)
  const [current] = keys as [Key, ...Key[]]
  return {
    ids: keys.map(({ id }) => id),
    mac: (entryHash) => Buffer.concat([current.id, hmacOf(current.key, entryHash)]),
    faultOf(mac, entryHash) {
      if (mac === null) return 'mac_missing'
      if (mac.length !== idBytes + macBytes) return 'mac_wrong'
      const named = keys.find(({ id }) => id.equals(mac.subarray(0, idBytes)))
      if (!named) return 'key_unknown'
      return timingSafeEqual(mac.subarray(idBytes), hmacOf(named.key, entryHash)) ? undefined : 'mac_wrong'
    },
  }
}

interface Key {
  id: Buffer
  key: KeyObject
}

function deriveKey(vaultKey: string): Key {
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(vaultKey, 'hex'), '', 'mandate audit entry mac', macBytes))
  const id = createHash('sha256').update('mandate audit entry key id').update(key).digest().subarray(0, idBytes)
  return { id, key: createSecretKey(key) }
}

function hmacOf(key: KeyObject, entryHash: string): Buffer {
  return createHmac('sha256', key).update(entryHash, 'hex').digest()
}
