import type { Search } from './page-link.tsx'

/** A version of a policy. `current`: the policy as it is now. */
export type LinkedVersion = number | 'current'

/** Returns the address of a policy. A link that names a version opens this version, because the policy may have changed since. The page marks `rule`. */
export function policyPlace(id: string, version: LinkedVersion, rule?: string): { to: string; search: Search } {
  return {
    to: `/policies/${id}`,
    search: {
      ...(version !== 'current' && { tab: 'versions', version: String(version) }),
      ...(rule !== undefined && { rule }),
    },
  }
}
