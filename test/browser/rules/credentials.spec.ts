import { addPerson } from '../people.ts'
import { closeDialog, expect, signIn, test } from '../tenant.ts'

const secret = 'a-secret-that-nobody-sees'

test('a manager stores, rotates, changes and deletes a credential, and its secret is never shown', async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 POST .*credentials$/, /^409 DELETE .*credentials/)
  const answers: Promise<string>[] = []
  page.on('response', (response) => {
    if (response.url().includes('/credentials')) answers.push(response.text().catch(() => ''))
  })
  await signIn(page, organization.email)
  await page.getByRole('link', { name: 'Credentials', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Credentials')
  await expect(page.getByText('A credential is the secret of a tool.')).toBeVisible()
  await page.getByRole('button', { name: 'Store a credential' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Tickets API')
  await page.getByLabel('Kind').selectOption('Header')
  await page.getByLabel('Name of the header').fill('X-Api-Key')
  await page.getByLabel('Value of the header').fill(secret)
  await expect(page.getByLabel('Value of the header')).toHaveAttribute('type', 'password')
  await page.getByRole('button', { name: 'Store', exact: true }).click()
  await expect(page.getByLabel('Name', { exact: true })).toHaveAttribute('aria-invalid', 'true')
  await page.getByLabel('Name', { exact: true }).fill('tickets-api')
  await closeDialog(page.getByRole('dialog'), 'Store')
  const row = page.getByRole('row', { name: /^tickets-api/ })
  await expect(row).toContainText('X-Api-Key')
  await expect(row).toContainText('never used')

  await page.getByRole('button', { name: 'Rotate tickets-api' }).click()
  await page.getByLabel('Value of the header').fill(`${secret}-2`)
  await closeDialog(page.getByRole('dialog'), 'Replace the secret')
  await row.getByRole('button', { name: 'More actions for tickets-api' }).click()
  await page.getByRole('button', { name: 'Change…' }).click()
  await page.getByLabel('Name of the header').fill('X-Tickets-Key')
  await closeDialog(page.getByRole('dialog'), 'Save')
  await expect(row).toContainText('X-Tickets-Key')

  const [stored] = (await organization.api.call('listCredentials')).data
  const { edge_key: key } = await organization.api.call('createEdge', {
    body: { name: 'edge', environment_id: stored?.environment_id as string },
  })
  const fetched = await page.request.get(`/api/v1/edge/credentials/tickets-api?server=jira`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect((await fetched.json()).secret).toBe(`${secret}-2`)
  await row.getByRole('button', { name: 'More actions for tickets-api' }).click()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByRole('dialog')).toContainText('these servers used the credential in the last 24 hours: jira')
  await closeDialog(page.getByRole('dialog'), 'Delete anyway')
  await expect(page.getByText('No credential is stored.')).toBeVisible()
  expect(await page.content()).not.toContain(secret)
  expect((await Promise.all(answers)).join('')).not.toContain(secret)
})

test('a viewer sees the credentials, and why they cannot change them', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const environment_id = organization.environments.development
  await organization.api.call('createCredential', { body: { name: 'wiki', kind: 'bearer', environment_id, secret } })
  const viewer = await addPerson(organization, { role: 'viewer', name: 'Vera' })
  await signIn(page, viewer.email, '/credentials')
  await expect(page.getByRole('row', { name: /^wiki/ })).toBeVisible()
  const store = page.getByRole('button', { name: 'Store a credential' })
  await expect(store).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByRole('button', { name: 'Rotate wiki' })).toHaveAttribute('aria-disabled', 'true')
})
