import { apiClient } from '../../../packages/server/src/testing/api-client.ts'
import { RealEdge } from '../grown/real-edge.ts'
import { addPerson } from '../people.ts'
import { closeDialog, expect, type Organization, serverUrl, signIn, test } from '../tenant.ts'

test('an owner freezes an environment, sees it on every page, and lifts it', async ({ page, organization }) => {
  const { api, environments } = organization
  await api.call('createAgent', { body: { name: 'warehouse-forecaster', environment_id: environments.production } })
  await signIn(page, organization.email)
  await page.getByRole('button', { name: 'Freeze…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Freeze agents?' })
  await dialog.getByLabel('Scope').selectOption('All agents of an environment')
  await dialog.getByLabel('Environment').selectOption({ label: 'Production' })
  await expect(dialog.getByRole('status')).toContainText('1\u00a0agent is denied every call.')
  await expect(dialog.getByRole('button', { name: 'Freeze' })).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByLabel('Reason').fill('Stock writes, cause unknown')
  await closeDialog(dialog, 'Freeze')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Freeze: Production')
  await expect(page.getByRole('paragraph').filter({ hasText: 'The environment Production is frozen' })).toBeVisible()
  await page.getByRole('link', { name: 'Overview' }).first().click()
  await expect(page.getByText('Production is frozen')).toBeVisible()
  await page.getByRole('link', { name: 'Show' }).click()
  await page.getByRole('button', { name: 'Lift the freeze' }).click()
  const confirm = page.getByRole('dialog', { name: 'Lift the freeze of Production?' })
  await confirm.getByLabel('Reason').fill('The cause is fixed')
  await closeDialog(confirm, 'Lift the freeze')
  await expect(page.getByText('Lifted', { exact: true }).first()).toBeVisible()
  await expect(page.getByText('The cause is fixed')).toBeVisible()
  const covered = page.getByRole('region', { name: 'What was frozen' })
  await expect(covered).toContainText('1\u00a0agent, every call was denied')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Freezes' }).click()
  await expect(page.getByRole('row', { name: /Production.*Lifted/ })).toBeVisible()
})

/** An agent behind a started edge. Its policy allows reads. */
async function startEdgeOf({ api, environments }: Organization) {
  const environment_id = environments.production
  const reads = { name: 'Reads', priority: 10, effect: 'allow' as const, match: { tools: ['mcp:wms/read-*'] } }
  const policy = await api.call('createPolicy', {
    body: { name: 'Warehouse', override_mode: 'enforce', default_effect: 'deny', rules: [reads] },
  })
  const { agent } = await api.call('createAgent', {
    body: { name: 'warehouse-forecaster', environment_id, policy_id: policy.id },
  })
  const { edge_key } = await api.call('createEdge', { body: { name: 'hall-3-a', environment_id } })
  const edge = await RealEdge.start(serverUrl(), edge_key, [agent.id])
  const decide = () => edge.decide(agent.id, { tool: 'mcp:wms/read-stock' })
  return { agent, decide, stop: () => edge.stop() }
}

test('a started edge confirms a freeze and denies the call, until the freeze is lifted', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  test.setTimeout(240_000)
  const { decide, stop } = await startEdgeOf(organization)
  try {
    expect(await decide()).toMatchObject({ verdict: 'allow' })
    const edges = async () => (await organization.api.call('listEdges')).data
    await expect.poll(async () => (await edges())[0]?.last_heartbeat_at ?? null, { timeout: 60_000 }).not.toBeNull()
    await signIn(page, organization.email)
    await page.getByRole('button', { name: 'Freeze…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Freeze agents?' })
    await dialog.getByLabel('Scope').selectOption('All agents of an environment')
    await dialog.getByLabel('Environment').selectOption({ label: 'Production' })
    await expect(dialog.getByRole('status')).toContainText(
      '1\u00a0agent is denied every call. 1\u00a0edge has to confirm.',
    )
    await dialog.getByLabel('Reason').fill('Stock writes, cause unknown')
    await closeDialog(dialog, 'Freeze')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Freeze: Production')
    // Nothing is loaded again: the confirmation arrives by itself.
    await expect(page.getByRole('paragraph').filter({ hasText: '1 of 1\u00a0edge confirmed' })).toBeVisible()
    const receipt = page.getByRole('row', { name: /^hall-3-a/ })
    await expect(receipt).toContainText('Confirmed')
    await expect(receipt).toContainText(/\d\.\d\d s/)
    await expect(receipt.getByRole('button', { name: /copy the signature/ })).toBeVisible()
    const record = page.getByRole('link', { name: 'the freeze in the audit trail' })
    await expect(record).toHaveAttribute('href', /resource_type=freeze&resource_id=/)
    await expect(page.getByRole('img', { name: /^1.edge confirmed\./ })).toBeVisible()
    await page.getByRole('link', { name: '1 of 1\u00a0edge confirmed' }).click()
    await expect(page).toHaveURL(/\?state=confirmed$/)
    await expect(receipt).toContainText('Confirmed')
    await page.getByRole('navigation', { name: 'Receipts by state' }).getByRole('link', { name: 'No answer' }).click()
    await expect(receipt).toHaveCount(0)
    await page.getByRole('link', { name: 'Show all receipts' }).click()
    await expect(receipt).toBeVisible()
    await page.getByRole('link', { name: '1\u00a0agent, every call is denied' }).click()
    await expect(page).toHaveURL(/\/agents\?environment_id=/)
    await expect(page.getByRole('row', { name: /warehouse-forecaster.*Frozen/ })).toBeVisible()
    await page.goBack()
    expect(await decide()).toMatchObject({ verdict: 'deny', reason: expect.stringContaining('the agent is frozen') })
    await page.getByRole('button', { name: 'Lift the freeze' }).click()
    const lift = page.getByRole('dialog', { name: 'Lift the freeze of Production?' })
    await lift.getByLabel('Reason').fill('The cause is fixed')
    await closeDialog(lift, 'Lift the freeze')
    await expect(page.getByText('1 of 1\u00a0edge had confirmed the freeze')).toBeVisible()
    await expect.poll(async () => (await decide()).verdict, { timeout: 60_000 }).toBe('allow')
  } finally {
    await stop()
  }
})

test('the freeze of an organization counts its edges by environment', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { api, environments, email } = organization
  const keys = await Promise.all(
    Object.entries(environments).map(async ([name, environment_id]) => {
      const { agent } = await api.call('createAgent', { body: { name, environment_id } })
      const { edge_key } = await api.call('createEdge', { body: { name: `edge of ${name}`, environment_id } })
      const edge = apiClient(serverUrl(), edge_key)
      const beat = { instance_id: 'a', seq: 1, edge_version: '1', agents: [{ agent_id: agent.id }] }
      expect((await edge.post('/edge/heartbeat', beat)).status).toBe(200)
      return { name, edge }
    }),
  )
  const freeze = await api.call('createFreeze', { body: { scope: 'organization', reason: 'Unknown writes' } })
  const confirmed = { freeze_id: freeze.id, at: new Date().toISOString() }
  const production = keys.find(({ name }) => name === 'production')
  await production?.edge.post('/edge/confirmations', { instance_id: 'a', confirmations: [confirmed] })
  await signIn(page, email, `/freezes/${freeze.id}`)
  const lines = page.getByRole('region', { name: 'By environment' }).getByRole('listitem')
  await expect(lines).toHaveText([/Development.*0 of 1 confirmed/, /Production.*1 of 1 confirmed/])
  await lines.first().getByRole('link', { name: 'Development' }).click()
  await expect(page).toHaveURL(new RegExp(`/edges\\?environment_id=${environments.development}`))
})

test('a drill stops nothing and cannot be lifted', async ({ page, organization }) => {
  await signIn(page, organization.email, '/freezes')
  await expect(page.getByText('Nothing is frozen')).toBeVisible()
  await page.getByRole('main').getByRole('button', { name: 'Freeze…' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Scope').selectOption('All agents of the organization')
  await dialog.getByRole('checkbox', { name: /Drill/ }).check()
  await expect(dialog.getByRole('status')).toContainText('No call is denied.')
  await dialog.getByLabel('Reason').fill('Monthly drill')
  await closeDialog(dialog, 'Run the drill')
  await expect(page.getByText('Drill', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Lift the freeze' })).toHaveCount(0)
})

test('the number of freezes leads to these freezes', { tag: '@long' }, async ({ page, organization }) => {
  const { api, environments } = organization
  const freeze = { scope: 'environment', environment_id: environments.production, reason: 'Cause unknown' } as const
  await api.call('createFreeze', { body: { ...freeze, drill: true, reason: 'Monthly drill' } })
  await api.call('createFreeze', { body: freeze })
  await signIn(page, organization.email, '/freezes')
  await page
    .getByRole('main')
    .getByRole('link', { name: /1.freeze stops agents/ })
    .click()
  await expect(page).toHaveURL(/active=true/)
  await expect(page.getByRole('main').getByRole('row')).toContainText(['What', 'Cause unknown'])
  await page.getByRole('button', { name: 'Clear State' }).click()
  await expect(page.getByRole('row', { name: /Monthly drill/ })).toBeVisible()
})

test('a viewer sees why nothing can be frozen', { tag: '@long' }, async ({ page, organization }) => {
  const sven = await addPerson(organization, { role: 'viewer', name: 'Sven Okkarinen' })
  await signIn(page, sven.email, '/freezes')
  const buttons = page.getByRole('main').getByRole('button', { name: 'Freeze…' })
  await expect(buttons).toHaveCount(2)
  for (const button of await buttons.all()) {
    await expect(button).toHaveAttribute('aria-disabled', 'true')
    await expect(button).toHaveAccessibleDescription(/viewer|manager/i)
  }
})
