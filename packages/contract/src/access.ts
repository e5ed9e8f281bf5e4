/** Common access declarations. Other endpoints declare their own. Verbs check finer rules. */
export const anyone = { by: 'public' } as const
export const edge = { by: 'edge' } as const
export const viewer = { by: 'role', role: 'viewer' } as const
export const member = { by: 'role', role: 'member' } as const
export const manager = { by: 'role', role: 'manager' } as const
/** Learners may also call it. */
export const anyUser = { ...viewer, learners: true } as const
/** Not through an API key. */
export const personally = { ...anyUser, sessionOnly: true } as const
