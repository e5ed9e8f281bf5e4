import type { NewPlatform, PlatformKind } from '@mandate/contract/platforms'
import { addressFault } from '@mandate/edge/outgoing/address'
import { byAccessOnly, type Rules } from '../../authz/may.ts'
import { mayPart } from '../../caller/may-part.ts'
import { conflict, invalid, type Refusal } from '../../refusal.ts'

export type PlatformConfig = Record<string, string>

/**
 * Returns the configuration to store: for GitHub the cleaned `organization` and `base_url`, for other kinds what was sent.
 * @throws 400 with the name of the field
 */
export function checkConfig({ kind, config = {}, auth_secret }: NewPlatform, privateAllowed: boolean): PlatformConfig {
  if (kind !== 'github') return config
  const organization = config.organization?.trim() ?? ''
  if (!/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?$/.test(organization)) {
    throw invalid('config.organization must be the login of a GitHub organization')
  }
  if (auth_secret !== undefined && !/^[\x21-\x7e]+$/.test(auth_secret)) {
    throw invalid('auth_secret must be a token of printable ASCII characters')
  }
  if (config.base_url === undefined) return { organization }
  const fault = addressFault(config.base_url, privateAllowed)
  if (fault) throw invalid(`config.base_url ${fault}`)
  return { organization, base_url: new URL(config.base_url).href.replace(/\/+$/, '') }
}

/** Binds a sealed secret to its connection. It cannot be opened in a row of another connection or tenant. */
export const secretContext = (tenantId: string, platformId: string) => `platform:${tenantId}:${platformId}`

/** Returns the 409 for a kind of platform without a connector. */
export function syncRefusal({ kind }: { kind: PlatformKind }): Refusal | undefined {
  return kind === 'github' ? undefined : conflict(`sync is not available for ${kind} yet`)
}

const platformRules: Rules<{ kind: PlatformKind }> = {
  disconnectPlatform: byAccessOnly,
  syncPlatform: (_, platform) => syncRefusal(platform),
}

export const platformMay = mayPart(platformRules, () => (platform: { kind: PlatformKind }) => platform)
