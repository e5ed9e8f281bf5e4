import { hash, verify } from '@node-rs/argon2'
import { normalizePassword } from '../password-policy.ts'

/** Argon2id (the library's default variant) at 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

let dummyHash: Promise<string> | undefined

/** @param normalized a password out of `checkPassword` */
export function hashPassword(normalized: string): Promise<string> {
  return hash(normalized, COST)
}

/** With no hash to compare with, as much time is spent and the answer is `false`. */
export async function matchesHash(passwordHash: string | null, password: string): Promise<boolean> {
  dummyHash ??= hash('no account has this password', COST)
  const matches = await verify(passwordHash ?? (await dummyHash), normalizePassword(password))
  return matches && passwordHash !== null
}
