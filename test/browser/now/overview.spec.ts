import { newFleet } from '../fleet.ts'
import { expect, serverUrl, signIn, test } from '../tenant.ts'

test('the overview shows what waits, and a held call opens from it', async ({ page, organization }) => {
  const fleet = await newFleet(serverUrl(), organization)
  await fleet.ask({ tool: 'mcp:stripe/refund', args: { amount: 48_900, currency: 'eur' }, rule: 1 })
  await signIn(page, organization.email)
  const waiting = page.getByRole('region', { name: 'Waiting for you' })
  await expect(waiting.getByRole('link', { name: /Call support-triage mcp:stripe\/refund/ })).toBeVisible()
  await expect(waiting.getByText(/\d+ min left/)).toBeVisible()
  await expect(waiting.getByRole('link', { name: /Review support-triage Onboarding review/ })).toBeVisible()
})

test('an organization without calls says so', { tag: '@long' }, async ({ page, organization }) => {
  await signIn(page, organization.email)
  await page.getByRole('button', { name: 'Hide the checklist' }).click()
  await expect(page.getByText('No call and no review waits for you.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Deny 0' })).toBeVisible()
})

test('decisions are a chart and a table, and a number opens those decisions', async ({ page, organization }) => {
  const fleet = await newFleet(serverUrl(), organization)
  const [never] = fleet.policy.rules
  await fleet.edge.record(
    fleet.call(),
    fleet.call(),
    fleet.call({ tool: 'mcp:crm/delete-account', effect: 'deny', rule_id: never?.id }),
  )
  await signIn(page, organization.email)
  const panel = page.getByRole('region', { name: 'Decisions', exact: true })
  await expect(panel.getByRole('link', { name: 'Allow 2' })).toBeVisible()
  await expect(panel.getByText(/1\s*of 1\s*denial in the last 24 hours comes from support-triage/)).toBeVisible()
  await panel.getByRole('button', { name: 'Week' }).click()
  await expect(page).toHaveURL(/span=week/)
  await page.reload()
  await expect(panel.getByRole('button', { name: 'Week' })).toHaveAttribute('aria-pressed', 'true')
  await panel.getByRole('button', { name: 'Table T', exact: true }).focus()
  await page.keyboard.press('t')
  const row = panel.getByRole('row').last()
  await expect(row.getByRole('cell').first()).toHaveText('2')
  await row.getByRole('link', { name: '1', exact: true }).click()
  await expect(page).toHaveURL(/\/decisions\?.*effect=deny/)
})

test('a freeze is shown on every page while it is active', async ({ page, organization }) => {
  const { agent } = await newFleet(serverUrl(), organization)
  await signIn(page, organization.email)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
  const body = { scope: 'agent', agent_id: agent.id, reason: 'It deletes accounts.' } as const
  await organization.api.call('createFreeze', { body })
  await expect(page.getByText('support-triage is frozen')).toBeVisible()
  const edges = page.getByRole('region', { name: 'Edges and reach' })
  await expect(edges.getByRole('link', { name: 'Freezes and drills' })).toHaveAttribute('href', /\/freezes$/)
})

test('the overview says what the last stop was', async ({ page, organization }) => {
  const { agent } = await newFleet(serverUrl(), organization)
  await organization.api.call('suspendAgent', { path: { agent_id: agent.id }, body: {} })
  await signIn(page, organization.email)
  const edges = page.getByRole('region', { name: 'Edges and reach' })
  await expect(edges).toContainText('A suspension. No edge ran its agents.')
})

test('the numbers of agents are those of the list that they open', { tag: '@long' }, async ({ page, organization }) => {
  const { api, environments } = organization
  await newFleet(serverUrl(), organization)
  // This agent has no policy, so it waits in the discovery queue.
  await api.call('createAgent', { body: { name: 'warehouse-forecaster', environment_id: environments.production } })
  await signIn(page, organization.email)
  await page.getByRole('button', { name: 'Hide the checklist' }).click()
  const panel = page.getByRole('region', { name: 'Agents' })
  await expect(panel.getByRole('link', { name: 'All 1' })).toBeVisible()
  await expect(panel.getByRole('listitem').filter({ hasText: 'Proposed' })).toContainText(/1$/)
  await panel.getByRole('link', { name: 'Proposed' }).click()
  await expect(page.getByRole('button', { name: 'Lifecycle: Proposed' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Governed 1' })).toBeVisible()
  await expect(page.getByRole('row', { name: /support-triage/ })).toBeVisible()
  await expect(page.getByText('warehouse-forecaster')).toHaveCount(0)
})
