import type { endpoints } from '@mandate/contract/endpoints'

type OperationId = keyof typeof endpoints

const edge = 'Only edges, agents and the SDK call it, with their own keys.'
const probe = 'Monitoring reads it; it has nothing for a person.'
const asOneDocument =
  'The editor saves the fields and the rules of a policy as one document, so that a save is one version.'
const sentBack = 'The sign-in provider sends the browser there after a sign-in.'
const mailedPage =
  'The link in the mail opens this page of its own, without a session and without JavaScript. With a session, calls are decided on the page Approvals.'

/** The operations that the dashboard does not use, each with the reason. Do not add an operation that a person needs. */
export const operationsWithoutPage: Partial<Record<OperationId, string>> = {
  finishGoogle: sentBack,
  finishSaml: sentBack,
  getTenant: 'The session names the organization, and `GET /tenants` returns it without its id.',
  getEnvironment: 'The page Environments reads all environments as a list, with the same fields.',
  getExecutionCoverage: 'The page of an agent reads it as a field of the agent.',
  updatePolicy: asOneDocument,
  createRule: asOneDocument,
  updateRule: asOneDocument,
  deleteRule: asOneDocument,
  openApprovalPage: mailedPage,
  resolveByLink: mailedPage,
  readSharedReport: 'The share link is its address. People without an account open it.',
  verifyAuditTrail:
    'It verifies within one request, for programs. The page starts a verification in the background and shows its result.',
  requestApproval: edge,
  getEdgeCredential: edge,
  reportTools: edge,
  getPins: edge,
  delegateOn: edge,
  getEndedDelegations: edge,
  getHeldCall: edge,
  consumeApproval: edge,
  getContentKey: edge,
  getEdgeSession: edge,
  sendHeartbeat: edge,
  getMissionProfile: edge,
  getMissionProfiles: edge,
  streamToEdge: edge,
  attest: edge,
  reportExecutionStats: edge,
  confirm: edge,
  createEdgeKey: edge,
  recordDecisions: edge,
  checkHealth: probe,
  checkReadiness: probe,
  readMetrics: probe,
  readPolicyFileSchema: 'Editors read it while a person writes a policy file.',
  readDocsScript: 'The API documentation loads it.',
}
