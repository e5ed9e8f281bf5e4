/** The reads that a change of the organization changes. */
export const ofTenant = ['getOwnTenant', 'getSession', 'getGovernanceGate'] as const
