import { addPerson } from '../people.ts'
import { closeDialog, expect, signIn, test } from '../tenant.ts'

test('an owner creates an environment, changes it, and deletes it after the preview', async ({
  page,
  organization,
}) => {
  await signIn(page, organization.email)
  await page.getByRole('link', { name: 'Environments' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Environments')
  await page.getByRole('button', { name: 'Create environment' }).click()
  await page.getByLabel('Name').fill('Staging hall')
  await expect(page.getByLabel('Slug')).toHaveValue('staging-hall')
  await closeDialog(page.getByRole('dialog'), 'Create environment')
  const row = page.getByRole('row', { name: /^Staging hall/ })
  await expect(row).toContainText('Denied calls are stopped')
  await expect(row).toContainText('Not kept')
  const { data } = await organization.api.call('listEnvironments')
  const environment_id = data.find(({ slug }) => slug === 'staging-hall')?.id as string
  await organization.api.call('createApiKey', { body: { name: 'ci', environment_id } })

  await page.getByRole('button', { name: 'Edit Staging hall' }).click()
  await page.getByLabel('Enforcement').selectOption('Calls pass and are recorded')
  await page.getByLabel('Keep arguments for replay').check()
  await closeDialog(page.getByRole('dialog'), 'Save')
  await expect(row).toContainText('Calls pass and are recorded')
  await expect(row).toContainText('Kept for replay')
  await expect(page.getByText('1\u00a0environment only records decisions')).toBeVisible()

  // The row is whole at this width.
  const table = page.getByRole('region', { name: 'Environments' }).last()
  expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThanOrEqual(0)
  await page.getByRole('button', { name: 'More actions for Staging hall' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: /Staging hall/ })
  await expect(dialog.getByText('1\u00a0API key bound to it is revoked.')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Delete' })).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByLabel('Type Staging hall to confirm').fill('Staging hall')
  await closeDialog(dialog, 'Delete')
  await expect(row).toBeHidden()
})

test('a slug that is taken is an error, and what was typed stays', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^40[09] POST .*environments$/)
  await signIn(page, organization.email, '/environments')
  await page.getByRole('button', { name: 'Create environment' }).click()
  await page.getByLabel('Name').fill('Production')
  await page.getByRole('dialog').getByRole('button', { name: 'Create environment' }).click()
  await expect(page.getByRole('dialog').getByRole('alert').filter({ hasText: /slug/ })).toBeVisible()
  await expect(page.getByLabel('Name')).toHaveValue('Production')
})

test('a member sees the environments, and why they cannot be changed', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const ines = await addPerson(organization, { role: 'member', name: 'Ines Varmaux' })
  await signIn(page, ines.email, '/environments')
  await page.getByRole('button', { name: 'More actions for Production' }).click()
  const remove = page.getByRole('button', { name: 'Delete', exact: true })
  await expect(remove).toHaveAttribute('aria-disabled', 'true')
  await expect(remove).toHaveAccessibleDescription(/owner|production/)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Create environment' })).toHaveAttribute('aria-disabled', 'true')
})

test('the id of an environment is copied', { tag: '@long' }, async ({ page, organization, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page, organization.email, '/environments')
  await page.getByRole('button', { name: 'More actions for Production' }).click()
  await page.getByRole('button', { name: 'Copy id' }).click()
  await expect(page.getByLabel('Messages')).toContainText('Copied the id of Production.')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(organization.environments.production)
})
