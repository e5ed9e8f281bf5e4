/** Who may call most endpoints; the rest say so themselves. Finer rules are the verbs'. */
export const anyone = { by: 'public' } as const
export const edge = { by: 'edge' } as const
export const viewer = { by: 'role', role: 'viewer' } as const
export const member = { by: 'role', role: 'member' } as const
export const manager = { by: 'role', role: 'manager' } as const
/** Academy learners too. */
export const anyUser = { ...viewer, learners: true } as const
/** Not through an API key. */
export const personally = { ...anyUser, sessionOnly: true } as const
