import { hash, verify } from '@node-rs/argon2'
import { normalizePassword } from '../password-policy.ts'

/** Argon2id, the library's default variant, with 19 MiB, two passes and one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

let dummyHash: Promise<string> | undefined

/** Hashes a password. `normalized` must be a result of `checkPassword`. */
export function hashPassword(normalized: string): Promise<string> {
  return hash(normalized, COST)
}

/** Compares a password with a hash. If there is no hash, it takes the same time and returns false. */
export async function matchesHash(passwordHash: string | null, password: string): Promise<boolean> {
  dummyHash ??= hash('no account has this password', COST)
  const matches = await verify(passwordHash ?? (await dummyHash), normalizePassword(password))
  return matches && passwordHash !== null
}
