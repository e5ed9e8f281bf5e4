/** Roles from lowest to highest. A person has a role in one tenant only. */
export const roles = ['viewer', 'member', 'manager', 'owner'] as const
export type Role = (typeof roles)[number]

/** True if `role` is the same as or higher than `floor`. */
export function atLeast(role: Role, floor: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(floor)
}

export const accessScopes = ['all', 'scoped'] as const
export type AccessScope = (typeof accessScopes)[number]
