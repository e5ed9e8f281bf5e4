/**
 * Access declarations that several endpoints share. Other endpoints declare their own access. The function that serves an endpoint checks
 * finer rules.
 */
export const anyone = { by: 'public' } as const
export const edge = { by: 'edge' } as const
export const viewer = { by: 'role', role: 'viewer' } as const
export const member = { by: 'role', role: 'member' } as const
export const manager = { by: 'role', role: 'manager' } as const
/** Learners and read-only users may call the endpoint too. */
export const anyUser = { ...viewer, learners: true, readOnlyUsers: true } as const
/** Read-only users may call the endpoint too, because it changes nothing. */
export const viewerReading = { ...viewer, readOnlyUsers: true } as const
/** API keys may not call the endpoint. */
export const personally = { ...anyUser, sessionOnly: true } as const
