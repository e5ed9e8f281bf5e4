import { createHmac } from 'node:crypto'
import { createSelfSignedCertificate } from '../../../packages/server/src/identity/testing/self-signed-certificate.ts'
import { newFleet } from '../fleet.ts'
import { addPerson } from '../people.ts'
import { usePlan } from '../plan.ts'
import { closeDialog, expect, serverUrl, signIn, signInByForm, test } from '../tenant.ts'

test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

test('an owner changes the organization and the gate', async ({ page, organization }) => {
  await signIn(page, organization.email)
  await page.getByRole('link', { name: 'Settings' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings')
  await page.getByLabel('Name', { exact: true }).fill('Norrvik Group')
  await page.getByLabel('Keep decisions for').selectOption('400 days')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toContainText('Norrvik Group')
  await page.getByLabel('Gate', { exact: true }).selectOption('Enforce')
  await page.getByRole('button', { name: 'Set gate' }).click()
  const question = page.getByRole('dialog', { name: 'Set the governance gate to Enforce?' })
  await expect(question).toContainText('No agent waits for an approval.')
  await closeDialog(question, 'Set gate')
  await expect(page.getByText('The gate is enforce.')).toBeVisible()
  const { tenant } = await organization.api.call('getOwnTenant')
  expect(tenant).toMatchObject({
    name: 'Norrvik Group',
    decision_retention_days: 400,
    governance_gate: 'enforce',
  })
})

test('SAML shows why the plan does not have it, and can be turned off after a change of plan', {
  tag: '@long',
}, async ({ page, organization }) => {
  await signIn(page, organization.email, '/settings')
  const box = page.getByLabel('People sign in with SAML')
  const needed = page.getByText('SAML needs the plan Enterprise.')
  await expect(needed).toBeVisible()
  await expect(box).toHaveAttribute('aria-disabled', 'true')
  await expect(box).toHaveAccessibleDescription(
    'The plan Free does not include this feature. The plan Enterprise includes it.',
  )
  await usePlan(organization, 'enterprise')
  await page.reload()
  await expect(box).not.toHaveAttribute('aria-disabled', 'true')
  await expect(needed).toHaveCount(0)
  const { certificate: saml_certificate } = createSelfSignedCertificate('idp.norrvik.example')
  await organization.api.call('updateTenant', {
    path: { id: organization.id },
    body: {
      saml_enabled: true,
      saml_entity_id: 'https://idp.norrvik.example',
      saml_sso_url: 'https://idp.norrvik.example/sso',
      saml_certificate,
      saml_email_domain: 'norrvik.example',
      saml_provider_id: 'norrvik',
    },
  })
  await usePlan(organization, 'pro')
  await page.reload()
  await expect(box).toBeChecked()
  await box.uncheck()
  await page.getByRole('button', { name: 'Save SAML' }).click()
  await expect(page.getByText('Saved SAML.')).toBeVisible()
  await expect(box).toHaveAttribute('aria-disabled', 'true')
})

test('a person enrols a second factor with the QR code, and keeps the recovery codes', async ({
  page,
  organization,
}) => {
  await signIn(page, organization.email)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'You have no second factor' }).click()
  await page.getByRole('button', { name: 'Set up the second factor' }).click()
  await page.getByLabel('Your password').fill(organization.password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('img', { name: /QR code/ })).toBeVisible()
  await page.getByRole('button', { name: /^Copy the secret/ }).click()
  const secret = await page.evaluate(() => navigator.clipboard.readText())
  await page.getByLabel('One-time code').fill(codeOf(secret))
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByRole('dialog', { name: 'Your recovery codes' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText('You have not copied the recovery codes.')).toBeVisible()
  await page.getByRole('button', { name: 'Copy the recovery codes' }).click()
  await closeDialog(page.getByRole('dialog'), 'I stored it')
  await expect(page.getByRole('button', { name: 'Replace the second factor' })).toBeVisible()
})

/** The code of an authenticator app now: RFC 6238 with SHA-1, 30 s and 6 digits. */
function codeOf(secret: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const bytes = bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const mac = createHmac('sha1', Buffer.from(bytes)).update(counter).digest()
  const at = (mac.at(-1) as number) & 15
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

test('a wrong password is an error at its field, and a right one changes it', async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^403 POST .*password\/change$/)
  await signIn(page, organization.email, '/settings?tab=account')
  await page.getByLabel('Current password').fill('not the password')
  await page.getByLabel('New password').fill('nine dry geese whistle')
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByLabel('Current password')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('New password')).toHaveValue('nine dry geese whistle')
  await page.getByLabel('Current password').fill(organization.password)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText('Changed the password.')).toBeVisible()
  await page.getByRole('button', { name: 'Sign out' }).click()
  // Another navigation would end the one that the sign-out begins.
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
  await signInByForm(page, organization.email, 'nine dry geese whistle')
})

test('a person sees the sessions and ends another one', async ({ page, organization, browser, baseURL }) => {
  const other = await browser.newPage(baseURL ? { baseURL } : {})
  await signIn(other, organization.email)
  await signIn(page, organization.email, '/settings?tab=account')
  const rows = page.getByRole('region', { name: 'Sessions, last used first' }).getByRole('row')
  await expect(rows.filter({ hasText: 'this session' })).toHaveCount(1)
  const before = await rows.count()
  await rows.filter({ hasNotText: 'this session' }).getByRole('button').first().click()
  await closeDialog(page.getByRole('dialog'), 'End the session')
  await expect(rows).toHaveCount(before - 1)
  await other.close()
})

test('a viewer sees the settings, and why they cannot be changed', { tag: '@long' }, async ({ page, organization }) => {
  const sven = await addPerson(organization, { role: 'viewer', name: 'Sven Okkarinen' })
  await signIn(page, sven.email, '/settings')
  const remove = page.getByRole('button', { name: 'Delete the organization' })
  await expect(remove).toHaveAttribute('aria-disabled', 'true')
  await expect(remove).toHaveAccessibleDescription(/owner/)
  await expect(page.getByRole('button', { name: 'Set gate' })).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByRole('region', { name: 'Organization' })).toContainText('Norrvik Supply')
  await expect(page.getByRole('main').getByRole('textbox')).toHaveCount(0)
  await expect(page.getByRole('main').getByRole('combobox')).toHaveCount(0)
})

test('an owner deletes the organization after typing its name', async ({ page, organization }) => {
  await signIn(page, organization.email, '/settings')
  await page.getByRole('button', { name: 'Delete the organization' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await dialog.getByLabel('Type Norrvik Supply to confirm').fill('Norrvik Supply')
  await dialog.getByRole('button', { name: 'Delete the organization' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
})

test('a viewer reads how many calls were governed, by tool and by day, and sends the address', async ({
  page,
  organization,
}) => {
  const fleet = await newFleet(serverUrl(), organization)
  await fleet.edge.record(
    fleet.call({ tool: 'mcp:stripe/refund', effect: 'allow' }),
    fleet.call({ tool: 'mcp:crm/delete-account', effect: 'deny' }),
  )
  const sven = await addPerson(organization, { role: 'viewer', name: 'Sven Okkarinen' })
  await signIn(page, sven.email, '/settings')
  await page.getByRole('link', { name: 'Usage' }).click()
  await expect(page.getByText(/^2\u00a0calls were governed from /)).toBeVisible()
  await page.getByLabel('Count by').selectOption('Tool')
  const row = page.getByRole('row', { name: 'mcp:crm/delete-account' })
  await expect(row.getByRole('cell')).toHaveText(['0', '0', '1', '1'])
  await page.getByLabel('From', { exact: true }).fill('2026-01-01')
  await page.getByLabel('To', { exact: true }).fill('2026-01-31')
  await expect(page.getByText(/^0\u00a0calls were governed from 2026-01-01 to 2026-01-31/)).toBeVisible()
  expect(new URL(page.url()).search).toBe('?tab=usage&by=tool&from=2026-01-01&to=2026-01-31')
  for (const before of ['?tab=usage&by=tool&from=2026-01-01', '?tab=usage&by=tool', '?tab=usage']) {
    await page.goBack()
    await expect.poll(() => new URL(page.url()).search).toBe(before)
  }
})

test('a span that the server refuses is an error at its field', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 GET .*usage$/)
  await signIn(page, organization.email, '/settings?tab=usage&from=2026-03-01&to=2026-02-01')
  await expect(page.getByLabel('To', { exact: true })).toHaveAccessibleDescription('to must not be before from')
})

test('an owner reads the addresses that the identity provider needs', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  await signIn(page, organization.email, '/settings')
  await page.getByLabel('Provider id for the sign-in routes').fill('saml.norrvik')
  await expect(
    page.getByRole('button', { name: /Copy the address for answers .*\/auth\/saml\/norrvik\/acs$/ }),
  ).toBeVisible()
})

test('a second Enter while the code is checked does not lose the recovery codes', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  await signIn(page, organization.email, '/settings?tab=account&dialog=second-factor')
  await page.getByLabel('Your password').fill(organization.password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: /^Copy the secret/ }).click()
  const secret = await page.evaluate(() => navigator.clipboard.readText())
  const answer = Promise.withResolvers<void>()
  let sent = 0
  await page.route('**/totp/confirm', async (route) => {
    sent++
    await answer.promise
    await route.continue()
  })
  await page.getByLabel('One-time code').fill(codeOf(secret))
  await page.getByLabel('One-time code').press('Enter')
  await page.getByLabel('One-time code').press('Enter')
  answer.resolve()
  await expect(page.getByRole('dialog', { name: 'Your recovery codes' })).toBeVisible()
  expect(sent).toBe(1)
})

test('a save of the name keeps what another person has set meanwhile', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { api, id } = organization
  await signIn(page, organization.email, '/settings')
  const name = page.getByLabel('Name', { exact: true })
  await expect(name).toHaveValue('Norrvik Supply')
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toHaveAttribute('aria-disabled', 'true')
  await api.call('updateTenant', { path: { id }, body: { decision_retention_days: 800 } })
  await name.fill('Norrvik Group')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Saved the organization.')).toBeVisible()
  await expect(page.getByLabel('Keep decisions for')).toHaveValue('800')
  const { tenant } = await api.call('getOwnTenant')
  expect(tenant).toMatchObject({ name: 'Norrvik Group', decision_retention_days: 800 })
})
