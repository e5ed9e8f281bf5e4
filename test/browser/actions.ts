import { type Client, MandateError } from '@mandate/sdk'
import type { Visitor } from './visit.ts'
import type { Path } from './world.ts'

interface Judged {
  may?: string[]
  may_not?: Record<string, string>
}

/** Buttons of a page that act on one row of the API. */
interface Controls {
  /** What is added to the address of the page. */
  view?: string
  /** Reads the row as the person of the client. Undefined if the person does not see it. */
  row: (api: Client, id: string) => Promise<Judged | undefined>
  /** The button of the menu that has the controls. */
  menu?: string
  /** The action of each button. A button is found by the beginning of its name. */
  actions: Record<string, string>
}

const session: Controls['row'] = (api) => api.call('getSession', { query: { include: ['may'] } })
const tenant: Controls['row'] = async (api) => (await api.call('getOwnTenant', { query: { include: ['may'] } })).tenant
const marek: Controls['row'] = async (api) =>
  (await api.call('listUsers', { query: { search: 'Marek Dahl', include: ['may'] } })).data[0]
const invited: Controls['row'] = async (api) =>
  (await api.call('listUsers', { query: { status: 'pending', search: 'pending-', include: ['may'] } })).data[0]
const learner: Controls['row'] = async (api) =>
  (await api.call('listUsers', { query: { search: 'Lea Brandt', include: ['may'] } })).data[0]
const key: Controls['row'] = async (api) =>
  (await api.call('listApiKeys', { query: { include: ['may'] } })).data.find(({ name }) => name === 'Nightly export')
const spare: Controls['row'] = async (api) =>
  (await api.call('listEnvironments', { query: { include: ['may'] } })).data.find(({ slug }) => slug === 'spare')
const tool: Controls['row'] = (api, tool_id) => api.call('getTool', { path: { tool_id }, query: { include: ['may'] } })
const policy: Controls['row'] = (api, policy_id) =>
  api.call('getPolicy', { path: { policy_id }, query: { include: ['may'] } })

/** The buttons of the pages, with the actions that they take. */
export const controls: Partial<Record<Path, Controls[]>> = {
  '/agents': [{ row: session, actions: { 'Register agent': 'createAgent' } }],
  '/agents/{id}': [
    {
      row: (api, agent_id) => api.call('getAgent', { path: { agent_id }, query: { include: ['may'] } }),
      actions: { Suspend: 'suspendAgent', Freeze: 'createFreeze', 'Assign policy': 'assignPolicy' },
    },
    {
      row: (api, agent_id) => api.call('getAgent', { path: { agent_id }, query: { include: ['may'] } }),
      menu: 'More',
      actions: {
        'Edit…': 'updateAgent',
        'Change lifecycle…': 'changeLifecycle',
        'Rotate key…': 'rotateAgentKey',
        'Request review…': 'openReview',
        'Suppress…': 'suppressAgent',
        'Archive…': 'archiveAgent',
      },
    },
  ],
  '/policies': [{ row: session, actions: { 'Create policy': 'createPolicy' } }],
  '/policies/{id}': [
    { row: policy, actions: { 'Save version': 'replacePolicy', 'Delete policy…': 'deletePolicy' } },
    { view: '?tab=versions&version=1', row: policy, actions: { Restore: 'restorePolicyVersion' } },
  ],
  '/approvals': [
    {
      view: '?who=everyone',
      row: async (api) =>
        (await api.call('listApprovals', { query: { status: ['pending'], include: ['may'] } })).data[0],
      actions: { Approve: 'resolveApproval', Deny: 'resolveApproval' },
    },
  ],
  '/reviews/{id}': [
    {
      row: (api, review_id) => api.call('getReview', { path: { review_id }, query: { include: ['may'] } }),
      actions: { Approve: 'resolveReview:approved', Reject: 'resolveReview:rejected' },
    },
  ],
  '/findings': [
    {
      row: async (api) =>
        (await api.call('listFindings', { query: { type: 'decision_gap', include: ['may'] } })).data[0],
      actions: { 'Accept the gap': 'acceptFinding' },
    },
  ],
  '/edges': [{ row: session, actions: { 'Create edge': 'createEdge' } }],
  '/edges/{id}': [
    {
      row: (api, edge_id) => api.call('getEdge', { path: { edge_id }, query: { include: ['may'] } }),
      actions: { Revoke: 'revokeEdge' },
    },
  ],
  '/tools/{id}': [
    { row: tool, actions: { 'Pin this definition': 'pinTool', Block: 'blockTool' } },
    { row: tool, menu: 'More', actions: { 'Labels…': 'labelTool', 'Remove the pins…': 'unpinTool' } },
  ],
  '/environments': [
    { row: session, actions: { 'Create environment': 'createEnvironment' } },
    {
      row: spare,
      actions: { 'Edit Spare': 'updateEnvironment' },
    },
    { row: spare, menu: 'More actions for Spare', actions: { Delete: 'deleteEnvironment' } },
  ],
  '/platforms': [
    { row: session, actions: { 'Connect a platform': 'connectPlatform' } },
    {
      row: async (api) => (await api.call('listPlatforms', { query: { include: ['may'] } })).data[0],
      actions: { 'Sync now: Sales': 'syncPlatform', 'Disconnect Sales': 'disconnectPlatform' },
    },
  ],
  '/team': [
    {
      row: session,
      actions: { Invite: 'inviteUser', 'Invite a learner': 'inviteLearner', 'Send again': 'inviteUser' },
    },
    { row: invited, actions: { 'Withdraw the invitation of pending-': 'removeUser' } },
    { row: learner, actions: { 'Give platform access to Lea Brandt': 'grantPlatformAccess' } },
    {
      row: learner,
      menu: 'More actions for Lea Brandt',
      actions: { 'Reset MFA': 'resetMfa', 'End sessions': 'revokeUserSessions', Remove: 'removeUser' },
    },
    { row: marek, actions: { 'Change role of Marek Dahl': 'updateUser:role' } },
    {
      row: marek,
      menu: 'More actions for Marek Dahl',
      actions: {
        'Limit access': 'setAccessScope',
        'Make read-only': 'updateUser:read_only',
        'Grant agents': 'createGrant',
        'Reset MFA': 'resetMfa',
        'End sessions': 'revokeUserSessions',
        Remove: 'removeUser',
      },
    },
  ],
  '/keys': [
    { row: session, actions: { 'Create key': 'createApiKey' } },
    { row: key, actions: { 'Revoke Nightly export': 'revokeApiKey' } },
    { row: key, menu: 'More actions for Nightly export', actions: { 'Change binding': 'bindApiKey' } },
  ],
  '/audit': [{ row: session, actions: { Verify: 'startAuditVerification' } }],
  '/reports': [{ row: session, actions: { 'Create report': 'createReport' } }],
  '/reports/{id}': [
    {
      row: (api, report_id) => api.call('getReport', { path: { report_id }, query: { include: ['may'] } }),
      actions: { Share: 'shareReport', Delete: 'deleteReport', Revoke: 'revokeShareLink' },
    },
  ],
  '/freezes/{id}': [
    {
      row: (api, freeze_id) => api.call('getFreeze', { path: { freeze_id }, query: { include: ['may'] } }),
      actions: { 'Lift the freeze': 'liftFreeze' },
    },
  ],
  '/settings': [
    { row: tenant, actions: { 'Set gate': 'setGovernanceGate', 'Save SAML': 'updateTenant' } },
    {
      row: session,
      actions: { 'Leave the organization': 'removeMyself', 'Delete the organization': 'deleteTenant' },
    },
  ],
}

/** What a person sees of a button: why it is disabled, or null if it is not. */
interface Shown {
  name: string
  why: string | null
}

/** Runs in the page. Returns the buttons and the items of menus that are shown, with why each is disabled. */
const readShown = (): Shown[] =>
  [...document.querySelectorAll('button, [role="menuitem"]')].map((control) => {
    const name = control.ariaLabel ?? control.textContent?.trim() ?? ''
    const reason = document.getElementById(control.getAttribute('aria-describedby') ?? '')?.textContent ?? ''
    return { name, why: control.ariaDisabled === 'true' ? reason : null }
  })

/** Reasons that the page itself gives to a person who may take the action. */
const ownReasons = ['Nothing is changed.']

/** Compares buttons with the answer of the API. Returns a sentence for each that differs. */
function differencesOf(shown: readonly Shown[], actions: Controls['actions'], row: Judged): string[] {
  return Object.entries(actions).flatMap(([name, action]) => {
    // *Freeze…* of every page begins like *Freeze* of an agent.
    const found =
      shown.find((control) => control.name === name) ?? shown.find((control) => control.name.startsWith(name))
    if (!found) return [`${name} is not shown`]
    const expected = row.may_not?.[action] ?? null
    if (expected === null && !row.may?.includes(action)) return [`the API says nothing about ${action}`]
    const why = found.why !== null && ownReasons.includes(found.why) ? null : found.why
    return why === expected ? [] : [`${name} says: ${why}. The API says of ${action}: ${expected}`]
  })
}

/**
 * Compares the buttons of an open page with the actions that the API allows the person. `api` is a client with the session of this person. Returns a
 * sentence for each button that differs.
 */
export async function compareControls(visitor: Visitor, { path, href }: { path: Path; href: string }, api: Client) {
  const { page } = visitor
  const differences: string[] = []
  for (const { view, row, menu, actions } of controls[path] ?? []) {
    const judged = await row(api, href.split('/').at(-1) as string).catch((error: Error) => {
      if (error instanceof MandateError && error.status === 404) return undefined
      throw error
    })
    if (!judged) continue
    if (view !== undefined) await visitor.visit(href + view)
    if (menu !== undefined) await page.getByRole('button', { name: menu, exact: true }).click()
    differences.push(...differencesOf(await page.evaluate(readShown), actions, judged))
    if (menu !== undefined) await page.keyboard.press('Escape')
  }
  const silent = (await page.evaluate(readShown)).filter(({ why }) => why === '')
  return [...differences, ...silent.map(({ name }) => `${name} is disabled and does not say why`)]
}
