export const governanceStates = ['governed', 'discovered', 'suppressed'] as const
export type GovernanceState = (typeof governanceStates)[number]
