import { createHash, createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'

const idBytes = 8
const macBytes = 32

/** Why the MAC of an entry does not hold. An unknown key may be the one of another instance, or a former one. */
export type MacFault = 'mac_missing' | 'mac_wrong' | 'key_unknown'

/** Authenticates entries between the transaction that writes them and their seal. The database never holds these keys. */
export interface EntryKeys {
  /** Ids (8 bytes) of all keys, that of the key in force first. */
  ids: readonly Buffer[]
  /** 40 bytes: the id of the key in force and an HMAC-SHA-256 over the entry's hash (64 hex digits). */
  mac(entryHash: string): Buffer
  /** Undefined where the MAC is by one of the keys and of this entry. */
  faultOf(mac: Buffer | null, entryHash: string): MacFault | undefined
}

/**
 * The keys that entries are authenticated with, derived from the vault key. Of former vault keys (`previous`), MACs are
 * still accepted. All are 64 hexadecimal digits.
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
