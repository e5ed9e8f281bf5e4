import type { Page } from '@playwright/test'
import { addScene } from '../agents-of-tests.ts'
import { addPerson } from '../people.ts'
import { closeDialog, expect, signIn, test } from '../tenant.ts'

/** Opens the dialog of an action in the menu *More*. */
async function choose(page: Page, action: string) {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
  return page.getByRole('dialog')
}

test('a member edits an agent, and a change by another person to another field stays', async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 PUT .*agents/)
  const { api } = organization
  const { agent } = await addScene(organization)
  const path = { agent_id: agent.id }
  const layla = await addPerson(organization, { role: 'member', name: 'ليلى حداد' })
  await signIn(page, layla.email, `/agents/${agent.id}`)
  const dialog = await choose(page, 'Edit…')
  await expect(dialog.getByRole('button', { name: 'Save' })).toHaveAttribute('aria-disabled', 'true')
  await api.call('updateAgent', { path, body: { description: 'Answers customers' } })

  await dialog.getByLabel('Name', { exact: true }).fill('support-first-line')
  await dialog.getByLabel('Owner, who answers for the agent').fill('ليلى')
  await page.getByRole('option', { name: 'ليلى حداد' }).click()
  await dialog.getByRole('button', { name: 'Add entry' }).click()
  await dialog.getByLabel('Name 1').fill('team')
  await dialog.getByLabel('Value 1').fill('Support')
  const tools = dialog.getByLabel('Tools, one in each line')
  await tools.fill(`mcp:crm/get-customer\nmcp:${'x'.repeat(200)}`)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(tools).toHaveAttribute('aria-invalid', 'true')
  await tools.fill('mcp:crm/get-customer\nmcp:mail/read')
  await closeDialog(dialog, 'Save')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('support-first-line')
  await expect(page.getByText('team: Support')).toBeVisible()
  // Only the name has its own direction. The sentence has the direction of the page.
  await page.getByRole('button', { name: /new events?, show/ }).click()
  const told = page.getByRole('listitem').filter({ hasText: 'changed the agent' })
  await expect(told.locator('bdi').first()).toHaveText('ليلى حداد')
  expect(await api.call('getAgent', { path })).toMatchObject({
    name: 'support-first-line',
    description: 'Answers customers',
    owner_user_id: layla.id,
    tools: ['mcp:crm/get-customer', 'mcp:mail/read'],
    metadata: { team: 'Support' },
  })
})

test('a manager blocks an agent with a reason, and reads who approves it again', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { agent } = await addScene(organization)
  const marek = await addPerson(organization, { role: 'manager', name: 'Marek Dahl' })
  await signIn(page, marek.email, `/agents/${agent.id}`)
  const dialog = await choose(page, 'Change lifecycle…')
  const confirm = dialog.getByRole('button', { name: 'Change lifecycle' })
  await dialog.getByLabel('Reason').fill('It paid an invoice twice')
  await dialog.getByLabel('Lifecycle').selectOption('Approved')
  await expect(dialog.getByRole('alert')).toHaveText('only an owner approves an agent')
  await expect(confirm).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByLabel('Lifecycle').selectOption('Blocked')
  await confirm.click()
  await expect(dialog).toHaveCount(0)
  const { lifecycle_status } = await organization.api.call('getAgent', { path: { agent_id: agent.id } })
  expect(lifecycle_status).toBe('blocked')
  const { data } = await organization.api.call('listAuditEntries', { query: { event_type: 'agent.lifecycle.changed' } })
  expect(data[0]?.details).toMatchObject({ new_state: 'blocked', reason: 'It paid an invoice twice' })
})

test('a member takes an agent out of the queue', { tag: '@long' }, async ({ page, organization }) => {
  const { agent } = await addScene(organization)
  const mina = await addPerson(organization, { role: 'member', name: 'Mina Aalto' })
  await signIn(page, mina.email, `/agents/${agent.id}`)
  const dialog = await choose(page, 'Suppress…')
  await closeDialog(dialog, 'Suppress')
  const { governance_state } = await organization.api.call('getAgent', { path: { agent_id: agent.id } })
  expect(governance_state).toBe('suppressed')
})

test('a member asks for a review once, and it waits for somebody else', async ({ page, organization }) => {
  const { agent } = await addScene(organization)
  const mina = await addPerson(organization, { role: 'member', name: 'Mina Aalto' })
  await signIn(page, mina.email, `/agents/${agent.id}`)
  const dialog = await choose(page, 'Request review…')
  await expect(dialog).toHaveAccessibleName('Ask for a review of support-triage?')
  await expect(dialog).toContainText('An attestation review opens.')
  await closeDialog(dialog, 'Request review')
  await expect(page.getByLabel('Messages')).toContainText('The review is open.')
  const query = { agent_id: agent.id, kind: 'attestation' } as const
  const { data } = await organization.api.call('listReviews', { query })
  expect(data).toMatchObject([{ status: 'pending', requested_by: mina.id }])
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await expect(page.getByRole('menuitem', { name: 'Request review…' })).toHaveAccessibleDescription(/already pending/)
})

test('an owner freezes an agent on its page, and lifts the freeze', async ({ page, organization }) => {
  const { api } = organization
  const { agent } = await addScene(organization)
  const path = { agent_id: agent.id }
  await signIn(page, organization.email, `/agents/${agent.id}`)
  await page.getByRole('button', { name: 'Freeze', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Freeze agents?' })
  // The agent of the page is chosen.
  await expect(dialog.getByRole('status')).toContainText('1\u00a0agent is denied every call.')
  await dialog.getByLabel('Reason').fill('It pays invoices twice')
  await closeDialog(dialog, 'Freeze')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Freeze: support-triage')
  await expect(page.getByText('No edge ran an agent that this freeze covers.')).toBeVisible()
  expect((await api.call('getAgent', { path })).frozen).toBe(true)
  await page.goto(`/agents/${agent.id}`)
  await expect(page.getByText('It is frozen: every call is denied')).toBeVisible()
  await page.getByRole('link', { name: 'Show', exact: true }).click()
  await page.getByRole('button', { name: 'Lift the freeze' }).click()
  const lift = page.getByRole('dialog', { name: 'Lift the freeze of support-triage?' })
  await lift.getByLabel('Reason').fill('The invoices are corrected')
  await closeDialog(lift, 'Lift the freeze')
  await expect(page.getByText('Lifted', { exact: true }).first()).toBeVisible()
  await page.goto(`/agents/${agent.id}`)
  await expect(page.getByRole('button', { name: 'Freeze', exact: true })).not.toHaveAttribute('aria-disabled')
  await expect(page.getByText('It is frozen: every call is denied')).toHaveCount(0)
  expect((await api.call('getAgent', { path })).frozen).toBe(false)
})

test('a viewer cannot freeze an agent, and nobody can freeze it twice', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { agent } = await addScene(organization)
  const kofi = await addPerson(organization, { role: 'viewer', name: 'Kofi Brandal' })
  await signIn(page, kofi.email, `/agents/${agent.id}`)
  const freeze = page.getByRole('button', { name: 'Freeze', exact: true })
  await expect(freeze).toHaveAccessibleDescription(/manager/)
  // The reason of a disabled button shows on focus by keyboard too.
  const header = page.getByRole('button', { name: 'Freeze…' })
  await expect(header).toHaveAccessibleDescription(/manager/)
  await page.getByRole('button', { name: /^Find agents/ }).focus()
  await page.keyboard.press('Tab')
  await expect(header).toBeFocused()
  await expect(page.getByRole('tooltip')).toHaveText(/manager/)
  await header.press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  const { api } = organization
  await api.call('createFreeze', { body: { scope: 'agent', agent_id: agent.id, reason: 'Wrong invoices' } })
  await signIn(page, organization.email, `/agents/${agent.id}`)
  await expect(freeze).toHaveAccessibleDescription('this agent is frozen already; lift that freeze first')
})
