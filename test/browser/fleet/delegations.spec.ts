import { newFleet } from '../fleet.ts'
import { addPerson } from '../people.ts'
import { closeDialog, expect, serverUrl, signIn, test } from '../tenant.ts'

test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

test('a delegation shows its token once, is listed with its chain, and is revoked', async ({ page, organization }) => {
  const { agent } = await newFleet(serverUrl(), organization)
  await signIn(page, organization.email, `/agents/${agent.id}`)
  await page.getByRole('link', { name: 'Delegations' }).click()
  await expect(page.getByText('A delegation lets the agent act for a person')).toBeVisible()
  await page.getByRole('button', { name: 'Delegate' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delegate to support-triage' })
  await dialog.getByLabel('Tools').fill('mcp:crm/get-* mcp:mail/read')
  await dialog.getByLabel('Ends after').selectOption('8 hours')
  await dialog.getByRole('button', { name: 'Delegate' }).click()
  const secret = page.getByRole('dialog', { name: 'A delegation to support-triage' })
  await secret.getByRole('button', { name: 'Copy the token' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^md_[\w-]+$/)
  await closeDialog(secret, 'I stored it')
  const row = page.getByRole('row', { name: /for Mara Lindqvist → by support-triage/ })
  await expect(row).toContainText('mcp:crm/get-* mcp:mail/read')
  await expect(row).toContainText('Active')

  await expect(row.getByRole('link', { name: 'History' })).toHaveAttribute(
    'href',
    /resource_type=delegation&resource_id=/,
  )
  await row.getByRole('button', { name: 'Revoke the delegation of Mara Lindqvist to support-triage' }).click()
  const question = page.getByRole('dialog', { name: 'Revoke the delegation of Mara Lindqvist to support-triage?' })
  await closeDialog(question, 'Revoke')
  await expect(row).toContainText('Ended')
  await expect(row).toContainText('This delegation or its parent was revoked.')
})

test('a tool that is no pattern is an error at its field', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 POST .*delegations$/)
  const { agent } = await newFleet(serverUrl(), organization)
  await signIn(page, organization.email, `/agents/${agent.id}?tab=delegations`)
  await page.getByRole('button', { name: 'Delegate' }).click()
  await page.getByLabel('Tools').fill('everything')
  await page.getByRole('dialog').getByRole('button', { name: 'Delegate' }).click()
  await expect(page.getByLabel('Tools')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('Tools')).toHaveValue('everything')
})

test('a manager delegates for another person, a member only for themselves, a viewer not at all', {
  tag: '@long',
}, async ({ page, organization }) => {
  const { agent } = await newFleet(serverUrl(), organization)
  const address = `/agents/${agent.id}?tab=delegations`
  const marek = await addPerson(organization, { role: 'member', name: 'Marek Dahl' })
  const sven = await addPerson(organization, { role: 'viewer', name: 'Sven Okkarinen' })
  await signIn(page, sven.email, address)
  const delegate = page.getByRole('button', { name: 'Delegate' })
  await expect(delegate).toHaveAttribute('aria-disabled', 'true')
  await expect(delegate).toHaveAccessibleDescription(/member/)

  await page.context().clearCookies()
  await signIn(page, marek.email, address)
  await delegate.click()
  await expect(page.getByLabel('Tools')).toBeVisible()
  await expect(page.getByLabel('For')).toBeHidden()

  await page.context().clearCookies()
  await signIn(page, organization.email, address)
  await delegate.click()
  await page.getByLabel('Tools').fill('mcp:mail/read')
  await page.getByLabel('For').fill('Marek')
  await page.getByRole('option', { name: 'Marek Dahl' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delegate' }).click()
  await page.getByRole('button', { name: 'Copy the token' }).click()
  await closeDialog(page.getByRole('dialog'), 'I stored it')
  await expect(page.getByRole('row', { name: /for Marek Dahl → by support-triage/ })).toBeVisible()
})

test('a decision and an approval show for whom, and by way of which agents', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const fleet = await newFleet(serverUrl(), organization)
  const chain = [
    { type: 'user', id: crypto.randomUUID(), name: 'Ana Ferreira' },
    { type: 'agent', id: crypto.randomUUID(), name: 'orchestrator' },
    { type: 'agent', id: fleet.agent.id, name: fleet.agent.name },
  ]
  const shown = 'for Ana Ferreira → by orchestrator → by support-triage'
  await fleet.edge.record(fleet.call({ chain, effect: 'deny', denied_because: 'delegation' }))
  await fleet.ask({ tool: 'mcp:stripe/refund', args: { amount: 30_000, currency: 'eur' }, rule: 1, chain })
  await signIn(page, organization.email)
  const { data } = await organization.api.call('listDecisions')
  await page.goto(`/decisions/${data[0]?.decision_id}`)
  await expect(page.getByText(shown)).toBeVisible()
  await expect(page.getByText(/the delegation that came with the call does not allow it/).first()).toBeVisible()
  await page.goto('/approvals')
  await expect(page.getByText(shown)).toBeVisible()
})
