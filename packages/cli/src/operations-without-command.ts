import type { OperationId } from '@mandate/contract/endpoints'

const edge = 'An edge or the SDK calls it with its own key; `mandate edge` does it for people.'
const browser = 'A browser calls it in a redirect or from a form; a person opens the page.'
const account = 'A person without a session calls it on the sign-in page; `mandate api --anonymous` reaches it.'
const file = 'Policies are changed as files, with `mandate policies push`; a rule alone has no command.'
const machine = 'Monitoring and tools read it; `mandate api` prints it as it is.'

/** The operations that have no command of their own, each with the reason why `mandate api` is enough. The list only shrinks. */
export const operationsWithoutCommand: Partial<Record<OperationId, string>> = {
  acceptInvitation: account,
  forgotPassword: account,
  listProviders: account,
  register: account,
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
  deleteTenant: 'It deletes everything and cannot be taken back, so it takes a request that was written by hand.',
  removeMyself: 'It deletes the own account and cannot be taken back, so it takes a request that was written by hand.',
  getTenant: 'It answers the same as the own organization, which `mandate organization show` prints.',
  createRule: file,
  deleteRule: file,
  updatePolicy: file,
  updateRule: file,
  validatePolicy: 'The check of `mandate policies validate` is the same and needs no control plane.',
  attest: edge,
  beat: edge,
  consumeApproval: edge,
  getEdgeSession: edge,
  getHeldCall: edge,
  getMissionProfile: edge,
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
  readSharedReport: 'Whoever has a share link opens it; the link is the whole address.',
}
