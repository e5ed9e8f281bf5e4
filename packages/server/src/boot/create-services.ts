import { hkdfSync } from 'node:crypto'
import { ContentPool } from '@mandate/content/pool/content-pool'
import type { Logger } from 'pino'
import { TenantGroups } from '../concurrency/tenant-groups.ts'
import { TenantSemaphore } from '../concurrency/tenant-semaphore.ts'
import type { Config } from '../config.ts'
import { Database } from '../db/database.ts'
import { createDiskRoom } from '../db/disk-room.ts'
import { DecisionFeed } from '../events/decision-feed.ts'
import { EventHub } from '../events/event-hub.ts'
import { createEmbeddedIdentity } from '../identity/embedded/provider.ts'
import type { IdentityProvider } from '../identity/port.ts'
import { vaultOf } from '../identity/vault.ts'
import { DecisionMemory } from '../memory/decision-memory.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { createRateLimits } from '../rate-limits/rate-limits.ts'
import { createAccessTokens } from '../security/access-tokens.ts'
import { entryKeysOf } from '../security/entry-keys.ts'
import { loadSigningKey, type SigningKeyText } from '../security/signing-key.ts'
import { createSuccessorTokens } from '../security/successor-tokens.ts'
import type { Services } from '../services.ts'
import { createLastUsed } from '../sessions/last-used.ts'

/** The secrets of an installation. They come from the configuration, or are created at the first start. */
export interface Secrets extends SigningKeyText {
  /** 64 hex characters. */
  tokenSecret: string
  /** 64 hex characters. */
  vaultKey: string
}

// Replays and writes use the same database connections. To keep most connections free for writes, only one replay may run for
// every five connections.
const connectionsPerReplay = 5

/** Creates the services of the process. The schema of the database at `appUrl` must be up to date. */
export async function createServices(config: Config, secrets: Secrets, appUrl: string, log: Logger): Promise<Services> {
  const db = new Database({ url: appUrl, poolSize: config.databasePool })
  const diskRoom = createDiskRoom(config.databaseUrl ? undefined : config.dataDir)
  const rateLimits = createRateLimits(config.redisUrl, (isUp, reason) => {
    if (isUp) log.info('Redis answers again: all instances share the rate limits')
    else log.warn({ reason }, 'Redis does not answer: each instance applies the rate limits separately')
  })
  const events = new EventHub({ db, url: appUrl, log })
  const vault = vaultOf(secrets.vaultKey, config.previousVaultKeys)
  return {
    config,
    log,
    db,
    vault,
    identity: await createIdentity(config, vault, attemptKeyOf(secrets)),
    accessTokens: createAccessTokens(Buffer.from(secrets.tokenSecret, 'hex')),
    successorOf: createSuccessorTokens(Buffer.from(secrets.tokenSecret, 'hex')),
    signingKey: loadSigningKey(secrets),
    entryKeys: entryKeysOf(secrets.vaultKey, config.previousVaultKeys),
    rateLimits,
    contentPool: new ContentPool({ waiting: 64, waitingOfOwner: 4 }),
    groups: new TenantGroups(db),
    decisionMemory: new DecisionMemory(),
    replays: new TenantSemaphore(Math.max(1, Math.floor(config.databasePool / connectionsPerReplay))),
    lastUsed: createLastUsed(db, (error) =>
      log.warn({ err: error }, 'last-used times of API keys and users could not be written'),
    ),
    events,
    decisionFeed: new DecisionFeed(db, log),
    metrics: createMetrics({ db, events, rateLimits, diskRoom }),
    diskRoom,
    lifecycle: { draining: false },
  }
}

/** Closes the services that `createServices` opened. */
export async function closeServices(services: Services): Promise<void> {
  await services.contentPool.close()
  await services.lastUsed.close()
  await services.decisionFeed.close()
  await services.events.close()
  await services.rateLimits.close()
  await services.db.close()
}

/** Sign-in attempts are signed with a separate key, so that one kind of token cannot be used as another kind. */
function attemptKeyOf({ tokenSecret }: Secrets): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(tokenSecret, 'hex'), '', 'sign-in attempts', 32))
}

async function createIdentity(config: Config, vault: Services['vault'], attemptKey: Buffer): Promise<IdentityProvider> {
  if (config.identity === 'embedded' || !config.identityPlatform) {
    return createEmbeddedIdentity({ vault, google: config.google, attemptKey })
  }
  // The SDK of Identity Platform is large, so it is only loaded if Identity Platform is configured.
  const { createIdentityPlatform } = await import('../identity/identity-platform/provider.ts')
  return createIdentityPlatform({ project: config.identityPlatform, google: config.google, attemptKey })
}
