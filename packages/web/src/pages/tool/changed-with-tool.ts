/** The reads whose answers a change of a tool changes. */
export const changedWithTool = [
  'getTool',
  'listTools',
  'getToolFacets',
  'getToolReach',
  'getAgentReach',
  'listFindings',
  'getOverview',
] as const
