import type { ControlPlane } from '../control-plane/control-plane.ts'
import type { ProfileKeys } from './signing-keys.ts'

/** What the edge needs to fetch a signed list of its environment. */
export interface ListParts {
  plane: ControlPlane
  keys: ProfileKeys
  /** Id of the edge's tenant. Null before the first profile, because a profile names the tenant. */
  tenantId(): string | null
}

/** Which state of an environment's list the edge has. `issuedAtMs` is when the control plane signed it, in milliseconds since 1970. */
export interface ListState {
  readonly environmentId: string
  readonly version: number
  readonly issuedAtMs: number
}

/**
 * Returns the newest list of an environment: the own one, or one of other seats. Without an environment, that of the own list counts, or else any.
 */
export function newestOf<T extends ListState>(
  own: T | null,
  others: readonly (T | null)[],
  environmentId: string | undefined = own?.environmentId,
): T | null {
  let newest = own
  for (const list of others) {
    if (list === null || list.environmentId !== (environmentId ?? list.environmentId)) continue
    if (newest?.environmentId !== list.environmentId || list.issuedAtMs > newest.issuedAtMs) newest = list
  }
  return newest
}

/** Whether a list is older than the one that the edge has. The version goes back only after a restore of the database, and the list then has a later signature. */
export function isOlder(found: ListState, held: ListState): boolean {
  const hasVersion = found.environmentId === held.environmentId && found.version >= held.version
  return !hasVersion && found.issuedAtMs <= held.issuedAtMs
}
