import { addPerson } from '../people.ts'
import { choose, closeDialog, expect, signIn, test } from '../tenant.ts'

test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

test('a key is shown once, can be copied, and is revoked', async ({ page, organization }) => {
  await signIn(page, organization.email)
  await page.getByRole('link', { name: 'API keys' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('API keys')
  await expect(page.getByText('There is no active API key.')).toBeVisible()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill('export to the archive')
  await page.getByLabel('Works in').selectOption('Production')
  await page.getByLabel('Scopes').fill('audit:read')
  await page.getByText('Choose by resource').click()
  await expect(page.getByRole('checkbox', { name: 'read audit', exact: true })).toBeChecked()
  await page.getByRole('checkbox', { name: 'read reports', exact: true }).check()
  await expect(page.getByLabel('Scopes')).toHaveValue('audit:read reports:read')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  const secret = page.getByRole('dialog', { name: 'The key export to the archive' })
  await secret.getByRole('button', { name: 'Copy the key' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^mk_[0-9a-f]{64}$/)
  await closeDialog(secret, 'I stored it')
  const row = page.getByRole('row', { name: /^export to the archive/ })
  await expect(row).toContainText('audit:read, reports:read')
  await expect(row).toContainText('Production')

  const key = await page.evaluate(() => navigator.clipboard.readText())
  const used = await page.request.get('/api/v1/audit', { headers: { authorization: `Bearer ${key}` } })
  expect(used.status()).toBe(200)
  await page.getByRole('button', { name: 'Revoke export to the archive' }).click()
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await expect(page.getByRole('dialog')).toContainText('It was last used')
  await closeDialog(page.getByRole('dialog'), 'Revoke')
  await expect(row).toBeHidden()
  await choose(page, 'State', 'Revoked')
  await expect(row).toContainText('Revoked')
  await expect(row.getByRole('button', { name: /^Revoke/ })).toHaveCount(0)
})

test('a key is rotated: the new key has the rights of the old one, which is revoked when the new one is in use', async ({
  page,
  organization: { api, email, environments },
}) => {
  const old = await api.call('createApiKey', {
    body: { name: 'Nightly export', scopes: ['audit:read'], environment_id: environments.production },
  })
  await signIn(page, email, '/keys')
  await page.getByRole('button', { name: 'More actions for Nightly export' }).click()
  await page.getByRole('button', { name: 'Rotate key' }).click()
  await expect(page.getByRole('dialog')).toContainText('never ends')
  await closeDialog(page.getByRole('dialog', { name: 'Rotate Nightly export?' }), 'Rotate key')
  const secret = page.getByRole('dialog', { name: 'The new key Nightly export' })
  await secret.getByRole('button', { name: 'Copy the key' }).click()
  const key = await page.evaluate(() => navigator.clipboard.readText())
  await closeDialog(secret, 'I stored it')
  const revoke = page.getByRole('dialog', { name: 'Revoke Nightly export?' })
  await expect(revoke).toContainText(`Programs with the key ${old.key_prefix}… are refused at once`)
  await expect(revoke).toContainText('is not in use yet')
  const used = await page.request.get('/api/v1/audit', { headers: { authorization: `Bearer ${key}` } })
  expect(used.status()).toBe(200)
  await expect(revoke).toContainText(`The newer key ${key.slice(0, 8)}… with the same name`)
  await expect(revoke).toContainText('environment was last used')
  await closeDialog(revoke, 'Revoke')
  await expect(page.getByRole('row', { name: /^Nightly export/ })).toHaveCount(1)
  const { data } = await api.call('listApiKeys', { query: { state: 'active' } })
  const { name, scopes, environment_id } = old
  expect(data).toMatchObject([{ name, scopes, environment_id, key_prefix: key.slice(0, 8) }])
})

test('a key is rotated only by a person who may create such a key', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { api, environments } = organization
  await api.call('createApiKey', { body: { name: 'Nightly export' } })
  await api.call('createApiKey', { body: { name: 'Deploys', environment_id: environments.production } })
  const vera = await addPerson(organization, { role: 'manager', name: 'Vera Holt' })
  await api.call('setAccessScope', { path: { user_id: vera.id }, body: { access_scope: 'scoped' } })
  await signIn(page, vera.email, '/keys')
  await page.getByRole('button', { name: 'More actions for Nightly export' }).click()
  const rotate = page.getByRole('button', { name: 'Rotate key' })
  await expect(rotate).toHaveAccessibleDescription(/only a user with access to the whole organization/)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'More actions for Deploys' }).click()
  await rotate.click()
  const dialog = page.getByRole('dialog', { name: 'Rotate Deploys?' })
  await expect(dialog).toContainText('The old one acts as Mara Lindqvist.')
})

test('leaving a key that was not copied asks once', { tag: '@long' }, async ({ page, organization }) => {
  await signIn(page, organization.email, '/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill('ci-release')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await expect(page.getByRole('button', { name: 'Copy the key' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByText('You have not copied the key.')).toBeVisible()
  await page.getByRole('button', { name: 'Stay' }).click()
  await expect(page.getByRole('button', { name: 'I stored it' })).toBeVisible()
  await page.keyboard.press('Escape')
  await closeDialog(page.getByRole('dialog'), 'Leave without it')
  await expect(page.getByRole('row', { name: /^ci-release/ })).toContainText('All of its creator')
})

test('leaving the new key of a rotation does not lead to the end of the old one', { tag: '@long' }, async ({
  page,
  organization: { api, email },
}) => {
  await api.call('createApiKey', { body: { name: 'Nightly export' } })
  await signIn(page, email, '/keys')
  await page.getByRole('button', { name: 'More actions for Nightly export' }).click()
  await page.getByRole('button', { name: 'Rotate key' }).click()
  await closeDialog(page.getByRole('dialog', { name: 'Rotate Nightly export?' }), 'Rotate key')
  const secret = page.getByRole('dialog', { name: 'The new key Nightly export' })
  await expect(secret.getByRole('button', { name: 'Copy the key' })).toBeFocused()
  await page.keyboard.press('Escape')
  await closeDialog(secret, 'Leave without it')
  await expect(page.getByRole('row', { name: /^Nightly export/ })).toHaveCount(2)
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('a scope that the server does not know is an error at its field', async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 POST .*api-keys$/)
  await signIn(page, organization.email, '/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill('ci-release')
  await expect(page.getByLabel('Scopes')).toHaveAccessibleDescription(
    /An action is read, write or \*\..* agents, api-keys,/,
  )
  await page.getByLabel('Scopes').fill('agent:write')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await expect(page.getByLabel('Scopes')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByText(/the nearest is agents/)).toBeVisible()
  await expect(page.getByLabel('Name')).toHaveValue('ci-release')
})

test('a viewer sees why no key can be created', { tag: '@long' }, async ({ page, organization }) => {
  const sven = await addPerson(organization, { role: 'viewer', name: 'Sven Okkarinen' })
  await signIn(page, sven.email, '/keys')
  const create = page.getByRole('button', { name: 'Create key' })
  await expect(create).toHaveAttribute('aria-disabled', 'true')
  await expect(create).toHaveAccessibleDescription(/viewer|member/i)
  await expect(page.getByText('A program calls the API with a key.')).toBeVisible()
})

test('a filter without a match leads back to the active keys', { tag: '@long' }, async ({ page, organization }) => {
  await organization.api.call('createApiKey', { body: { name: 'ci-release' } })
  await signIn(page, organization.email, '/keys')
  await choose(page, 'Older than', '90 days')
  await expect(page).toHaveURL(/older_days=90/)
  await expect(page.getByText('No API key matches: Older than 90 days.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await expect(page.getByRole('row', { name: /^ci-release/ })).toBeVisible()
})

test('the id of a key is copied', { tag: '@long' }, async ({ page, organization }) => {
  const { id } = await organization.api.call('createApiKey', { body: { name: 'Nightly export' } })
  await signIn(page, organization.email, '/keys')
  await page.getByRole('button', { name: 'More actions for Nightly export' }).click()
  await page.getByRole('button', { name: 'Copy id' }).click()
  await expect(page.getByLabel('Messages')).toContainText('Copied the id of Nightly export.')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id)
})
