import type { Search } from './page-link.tsx'

/** A version of a policy. `current`: the policy as it is now. */
export type LinkedVersion = number | 'current'

/** The address of a policy. A place that names a version gives this version, because the policy may have changed since. The page marks the rule. */
export function policyPlace(id: string, version: LinkedVersion, rule?: string): { to: string; search: Search } {
  return {
    to: `/policies/${id}`,
    search: {
      ...(version !== 'current' && { tab: 'versions', version: String(version) }),
      ...(rule !== undefined && { rule }),
    },
  }
}
