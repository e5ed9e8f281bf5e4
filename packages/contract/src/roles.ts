/** Roles, lowest to highest. A role is held in one tenant only. */
export const roles = ['viewer', 'member', 'manager', 'owner'] as const
export type Role = (typeof roles)[number]

/** True when `role` ranks at or above `floor`. */
export function atLeast(role: Role, floor: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(floor)
}

export const accessScopes = ['all', 'scoped'] as const
export type AccessScope = (typeof accessScopes)[number]
