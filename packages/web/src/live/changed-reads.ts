import type { OperationId, StreamedEvent } from '@mandate/sdk'

/** Objects that have events of their own. The type of an event begins with the word. */
const withEvents = ['approval', 'review', 'finding', 'agent', 'policy', 'edge', 'freeze', 'audit'] as const
/** Objects whose changes are known only from the audit entry about them. The stream tells of changed edges in both ways. */
const withEntries = [
  'user',
  'api_key',
  'edge',
  'credential',
  'platform',
  'tool',
  'content_pattern',
  'delegation',
  'report',
] as const
type Kind = (typeof withEvents)[number] | (typeof withEntries)[number]

/**
 * The reads that follow events, each with the objects whose changes change its answer. Every read also follows changes of environments and of the
 * organization. A read that is not here follows no event: its answer never changes, or the page repeats it.
 */
export const followed = {
  listApprovals: ['approval'],
  getApproval: ['approval'],
  listReviews: ['review'],
  getReview: ['review'],
  listFindings: ['finding'],
  getOverview: ['approval', 'review', 'finding', 'agent', 'edge', 'freeze'],
  // An agent has the name and the version of its policy.
  listAgents: ['agent', 'policy', 'freeze'],
  getAgent: ['agent', 'policy', 'review', 'finding', 'freeze'],
  getAgentFacets: ['agent', 'policy', 'finding', 'freeze'],
  // The saved versions of the policy are part of the timeline.
  getAgentTimeline: ['agent', 'policy', 'review', 'finding', 'freeze'],
  getAgentReach: ['agent', 'policy', 'tool'],
  getToolReach: ['agent', 'policy', 'tool'],
  // They count the agents that use a policy.
  listPolicies: ['policy', 'agent'],
  getPolicy: ['policy', 'agent'],
  listPolicyVersions: ['policy'],
  getContentBindings: ['policy', 'content_pattern'],
  listContentBindingsVersions: ['policy', 'content_pattern'],
  listEdges: ['edge'],
  getEdge: ['edge'],
  listEdgeInstances: ['edge'],
  listFreezes: ['freeze'],
  getFreeze: ['freeze'],
  listFreezeEdges: ['freeze'],
  listAuditEntries: ['audit'],
  getAuditProof: ['audit'],
  // A changed tool opens findings.
  listTools: ['tool', 'finding'],
  getTool: ['tool', 'finding'],
  getToolFacets: ['tool', 'finding'],
  listUsers: ['user'],
  getUser: ['user'],
  listGrants: ['user'],
  listEnvironmentAccess: ['user'],
  getOwnTenant: ['user'],
  getSession: ['user'],
  listSessions: ['user'],
  getUsage: ['user'],
  listApiKeys: ['api_key'],
  listCredentials: ['credential'],
  listPlatforms: ['platform'],
  listContentPatterns: ['content_pattern'],
  listDelegations: ['delegation'],
  listReports: ['report'],
  getReport: ['report'],
  listEnvironments: [],
  getGovernanceGate: [],
} satisfies Partial<Record<OperationId, readonly Kind[]>>

export const everyRead = Object.keys(followed) as readonly OperationId[]
/** Every page shows names of environments, and what the organization has set. */
const changesAll = ['environment', 'tenant']

/** The reads whose answers an event changes. */
export function changedReads({ type, about }: Pick<StreamedEvent, 'type' | 'about'>): readonly OperationId[] {
  if (type === 'reset' || changesAll.includes(about?.type ?? '')) return everyRead
  const kinds: string[] = [
    ...withEvents.filter((kind) => kind === type.split('.')[0]),
    ...withEntries.filter((kind) => kind === about?.type),
  ]
  return everyRead.filter((read) => followed[read as keyof typeof followed].some((kind) => kinds.includes(kind)))
}
