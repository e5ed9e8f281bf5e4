import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { DiskRoom } from './db/disk-room.ts'
import type { IdentityProvider, Vault } from './identity/port.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { RateLimits } from './rate-limits/rate-limits.ts'
import type { AccessTokens } from './security/access-tokens.ts'
import type { EntryKeys } from './security/entry-keys.ts'
import type { SigningKey } from './security/signing-key.ts'
import type { LastUsed } from './sessions/last-used.ts'
import type { TenantSemaphore } from './tenant-semaphore.ts'

/** What the process is made of; built once at start and handed to every verb through its context. */
export interface Services {
  config: Config
  log: Logger
  db: Database
  identity: IdentityProvider
  accessTokens: AccessTokens
  vault: Vault
  signingKey: SigningKey
  entryKeys: EntryKeys
  rateLimits: RateLimits
  /** At replaying decisions. */
  replays: TenantSemaphore
  lastUsed: LastUsed
  metrics: Metrics
  diskRoom: DiskRoom
  /** `draining` once the process was told to stop: it is then no longer ready. */
  lifecycle: { draining: boolean }
}
