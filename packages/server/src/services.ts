import type { ContentPool } from '@mandate/content/pool/content-pool'
import type { Logger } from 'pino'
import type { TenantGroups } from './concurrency/tenant-groups.ts'
import type { TenantSemaphore } from './concurrency/tenant-semaphore.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { DiskRoom } from './db/disk-room.ts'
import type { DecisionFeed } from './events/decision-feed.ts'
import type { EventHub } from './events/event-hub.ts'
import type { IdentityProvider, Vault } from './identity/port.ts'
import type { DecisionMemory } from './memory/decision-memory.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { RateLimits } from './rate-limits/rate-limits.ts'
import type { AccessTokens } from './security/access-tokens.ts'
import type { EntryKeys } from './security/entry-keys.ts'
import type { SigningKey } from './security/signing-key.ts'
import type { SuccessorOf } from './security/successor-tokens.ts'
import type { LastUsed } from './sessions/last-used.ts'

/** The services of the process. They are created once at the start. Every operation gets them through its context. */
export interface Services {
  config: Config
  log: Logger
  db: Database
  identity: IdentityProvider
  accessTokens: AccessTokens
  /** Computes the next refresh token of a cookie session. */
  successorOf: SuccessorOf
  vault: Vault
  signingKey: SigningKey
  entryKeys: EntryKeys
  rateLimits: RateLimits
  /** Limits the number of replays of decisions that run at the same time. */
  replays: TenantSemaphore
  /** Searches texts for content patterns in worker threads. */
  contentPool: ContentPool
  /** Runs operations of a tenant together that arrive together. */
  groups: TenantGroups
  lastUsed: LastUsed
  /** What is known of stored decisions, so that most batches need no look-up. */
  decisionMemory: DecisionMemory
  /** The events of all instances, for the streams of this instance. */
  events: EventHub
  /** Announces stored decisions to the streams that show them. */
  decisionFeed: DecisionFeed
  metrics: Metrics
  diskRoom: DiskRoom
  /** `draining` becomes true after the stop signal. The readiness check then fails. */
  lifecycle: { draining: boolean }
}
