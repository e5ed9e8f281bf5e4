import type { OperationId } from '@mandate/contract/endpoints'

const edge = 'Edges and the SDK call it with their own key; `mandate edge` runs an edge.'
const browser = 'A browser calls it in a redirect or from a form; a person opens the page.'
const account = 'A person without a session calls it on the sign-in page; `mandate api --anonymous` reaches it.'
const file = 'Policies change as files, with `mandate policies push`; a single rule has no command.'
const machine = 'Monitoring and tools read it; `mandate api` prints it unchanged.'

/** The operations that have no command of their own. Each has the reason why `mandate api` is enough. Do not add to this list. */
export const operationsWithoutCommand: Partial<Record<OperationId, string>> = {
  forgotPassword: account,
  listProviders: account,
  resetPassword: account,
  exchange: browser,
  finishGoogle: browser,
  finishSaml: browser,
  openApprovalPage: browser,
  resolveByLink: browser,
  startGoogle: browser,
  startSaml: browser,
  confirmTotp:
    'The secret of a second factor is shown as a QR code on a page; it does not belong in a terminal’s history.',
  startTotp:
    'The secret of a second factor is shown as a QR code on a page; it does not belong in a terminal’s history.',
  deleteTenant: 'It deletes everything and cannot be undone, so it needs an explicit request with `mandate api`.',
  removeMyself: 'It deletes your account and cannot be undone, so it needs an explicit request with `mandate api`.',
  getTenant: 'It returns the caller’s organization, which `mandate organization show` prints.',
  createRule: file,
  deleteRule: file,
  updatePolicy: file,
  updateRule: file,
  validatePolicy: 'The command `mandate policies validate` does the same check without a control plane.',
  attest: edge,
  confirm: edge,
  createEdgeKey: edge,
  sendHeartbeat: edge,
  consumeApproval: edge,
  getContentKey: edge,
  getEdgeSession: edge,
  getEdgeCredential: edge,
  reportTools: edge,
  getPins: edge,
  delegateOn: edge,
  getEndedDelegations: edge,
  getHeldCall: edge,
  getMissionProfile: edge,
  getMissionProfiles: edge,
  streamToEdge: edge,
  recordDecisions: edge,
  reportExecutionStats: edge,
  requestApproval: edge,
  checkHealth: machine,
  checkReadiness: machine,
  getSamlMetadata: machine,
  getSigningKey: 'Edges and `mandate audit verify --key` read it by its address.',
  readDocs: machine,
  readDocsScript: machine,
  readMetrics: machine,
  readOpenApi: machine,
  readSharedReport: 'People open the share link in a browser; the link is the full URL.',
}
