import { expect, type Page } from '@playwright/test'
import { agentId } from './events.ts'
import type { GrownOrganization } from './grow-organization.ts'
import { research, support, warehouse } from './plan.ts'

/** A screen of the organization with much data. */
export interface Screen {
  name: string
  path: string
  /** What to do on the page before the picture, such as opening a dialog. */
  act?: (page: Page) => Promise<void>
  /** True if the documentation shows it. */
  isDocumented?: boolean
}

/** Pages for people who are not signed in. */
export const doors = ({ people }: GrownOrganization): Screen[] => [
  { name: 'sign-in', path: '/sign-in' },
  { name: 'register', path: '/register' },
  { name: 'forgot-password', path: '/forgot-password' },
  { name: 'reset-password', path: '/reset-password?token=used' },
  { name: 'join', path: people.invitation },
]

/** Pages of the organization. What changes by itself comes first. */
export async function screensOf(grown: GrownOrganization): Promise<Screen[]> {
  const { organization, fleet, reportId } = grown
  const { api } = organization
  const drifting = agentId(grown, 'warehouse-forecaster')
  const policyId = (plan: typeof warehouse) => fleet.policies.get(plan)?.id
  const { data: reviews } = await api.call('listReviews', { query: { agent_id: drifting, status: 'pending' } })
  const { data: freezes } = await api.call('listFreezes')
  const { data: edges } = await api.call('listEdges')
  const silent = edges.find(({ silent }) => silent)
  const { data: tools } = await api.call('listTools', { query: { state: 'changed' } })
  const [changed] = tools
  const { data: denied } = await api.call('listDecisions', { query: { agent_id: agentId(grown, 'support-triage') } })
  const decision = denied.find(({ approval_id }) => approval_id !== null) ?? denied[0]
  return [
    { name: 'overview', path: '/', isDocumented: true },
    { name: 'approvals', path: '/approvals', isDocumented: true },
    { name: 'approvals-ended', path: '/approvals?decided=all', act: openEnded },
    { name: 'agents', path: '/agents', isDocumented: true },
    { name: 'agents-selected', path: '/agents', act: selectAgents },
    { name: 'agents-discovery', path: '/agents?governance_state=discovered' },
    { name: 'agent-differs', path: `/agents/${drifting}`, isDocumented: true },
    { name: 'agent', path: `/agents/${agentId(grown, 'support-triage')}` },
    ...['timeline', 'reach', 'coverage', 'decisions', 'delegations'].map((tab) => ({
      name: `agent-${tab}`,
      path: `/agents/${agentId(grown, 'support-triage')}?tab=${tab}`,
    })),
    { name: 'agent-new', path: `/agents/${agentId(grown, 'contract-reader')}` },
    { name: 'reviews', path: '/reviews' },
    { name: 'review', path: `/reviews/${reviews[0]?.id}` },
    { name: 'findings', path: '/findings' },
    { name: 'edges', path: '/edges' },
    { name: 'edge', path: `/edges/${edges.find(({ name }) => name === 'cloud-1')?.id}` },
    { name: 'edge-silent', path: `/edges/${silent?.id}` },
    { name: 'tools', path: '/tools' },
    { name: 'models', path: '/models' },
    { name: 'tool-changed', path: `/tools/${changed?.id}` },
    { name: 'environments', path: '/environments' },
    { name: 'platforms', path: '/platforms' },
    { name: 'policies', path: '/policies' },
    { name: 'policy', path: `/policies/${policyId(support)}` },
    { name: 'policy-draft', path: `/policies/${policyId(support)}`, act: draft, isDocumented: true },
    { name: 'policy-versions', path: `/policies/${policyId(warehouse)}?tab=versions` },
    { name: 'policy-content', path: `/policies/${policyId(support)}?tab=content` },
    { name: 'policy-simple', path: `/policies/${policyId(research)}` },
    { name: 'decisions', path: '/decisions' },
    { name: 'decisions-denied', path: '/decisions?effect=deny' },
    { name: 'decision', path: `/decisions/${decision?.decision_id}`, isDocumented: true },
    { name: 'audit', path: '/audit', isDocumented: true },
    { name: 'reports', path: '/reports' },
    { name: 'report', path: `/reports/${reportId}` },
    { name: 'team', path: '/team' },
    { name: 'keys', path: '/keys' },
    { name: 'settings', path: '/settings' },
    { name: 'settings-usage', path: '/settings?tab=usage' },
    { name: 'settings-account', path: '/settings?tab=account' },
    { name: 'content-patterns', path: '/content-patterns' },
    { name: 'credentials', path: '/credentials' },
    { name: 'help', path: '/help' },
    { name: 'verify-email', path: '/verify-email' },
    { name: 'freezes', path: '/freezes' },
    { name: 'drill', path: `/freezes/${freezes[0]?.id}` },
    { name: 'find', path: '/agents', act: find },
    { name: 'freeze-dialog', path: '/', act: openFreeze },
    { name: 'agent-unknown', path: '/agents/00000000-0000-7000-8000-000000000000' },
  ]
}

async function openEnded(page: Page): Promise<void> {
  await page
    .getByRole('link', { name: /support-triage/ })
    .last()
    .click()
}

async function selectAgents(page: Page): Promise<void> {
  for (const name of ['returns-router', 'contract-reader'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).check()
}

async function draft(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Edit .*Refunds above 200 EUR/ }).click()
  const value = page.getByLabel('Value').first()
  await value.fill('10000')
  await value.blur()
  await expect(page.getByText(/recorded decisions|No recorded decision/).first()).toBeVisible()
}

async function find(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog', { name: 'Find' }).getByRole('searchbox')).toBeFocused()
  await page.keyboard.type('ware')
  await expect(page.getByRole('menuitem', { name: /warehouse-forecaster/ })).toBeVisible()
}

async function openFreeze(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Freeze…' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
}
