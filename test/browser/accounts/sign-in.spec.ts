import { Secret, TOTP } from 'otpauth'
import { expect, signInByForm, test } from '../tenant.ts'

const h1 = { level: 1 } as const

test('a wrong password is refused in the words of the server, and the address stays', async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^401 POST .*sign-in$/)
  await page.goto('/sign-in')
  await page.getByLabel('E-mail').fill(organization.email)
  await page.getByLabel('Password').fill('not the password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByLabel('Password')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('E-mail')).toHaveValue(organization.email)
})

test('Tab leads from the password to Sign in, and then to Forgot password', { tag: '@long' }, async ({ page }) => {
  await page.goto('/sign-in')
  await expect(page.getByLabel('E-mail')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByLabel('Password')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Forgot password' })).toBeFocused()
})

test('a second factor is asked for after the password; a recovery code replaces it', async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^401 POST .*sign-in$/)
  const { secret } = await organization.api.call('startTotp', { body: { password: organization.password } })
  const otp = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  const { recovery_codes } = await organization.api.call('confirmTotp', { body: { otp } })
  await page.goto('/sign-in')
  await page.getByLabel('E-mail').fill(organization.email)
  await page.getByLabel('Password').fill(organization.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByLabel('One-time code')).toBeFocused()
  await page.getByLabel('One-time code').fill('000000')
  await page.getByLabel('One-time code').press('Enter')
  await expect(page.getByLabel('One-time code')).toHaveAttribute('aria-invalid', 'true')
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(recovery_codes[0] as string)
  await page.getByLabel('Recovery code').press('Enter')
  await expect(page.getByRole('heading', h1)).toHaveText('Overview')
})

test('signing in leads back to the page that was asked for, and never to another site', async ({
  page,
  organization,
}) => {
  await page.goto('/?filter=a%20b')
  await expect(page).toHaveURL(/\/sign-in\?next=/)
  await signInByForm(page, organization.email)
  await page.goto('/sign-in?next=//evil.example/')
  await page.getByLabel('E-mail').fill(organization.email)
  await page.getByLabel('Password').fill(organization.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', h1)).toHaveText('Overview')
  expect(new URL(page.url()).pathname).toBe('/')
})

test('a code of a provider that signs nobody in says so and leads to the page Sign in', { tag: '@long' }, async ({
  page,
  expectedFaults,
}) => {
  expectedFaults.push(/^401 POST .*exchange$/)
  await page.goto('/sign-in/complete?code=of-another-browser')
  await expect(page.getByText('only in the browser that started')).toBeVisible()
  await expect(page.getByText('invalid or expired code')).toBeVisible()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible()
})

test('the reason of a refused sign-in with a provider is shown', { tag: '@long' }, async ({ page }) => {
  await page.goto('/sign-in?error=no_account')
  await expect(page.getByRole('alert').filter({ hasText: 'No account has your address.' })).toBeVisible()
})

test('another password or address is not called correct, and the code is asked for again', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^401 POST .*sign-in$/)
  const { secret } = await organization.api.call('startTotp', { body: { password: organization.password } })
  const otp = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  await organization.api.call('confirmTotp', { body: { otp } })
  await page.goto('/sign-in')
  await page.getByLabel('E-mail').fill(organization.email)
  await page.getByLabel('Password').fill(organization.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByText(/^Your password is correct\./)).toBeVisible()
  await page.getByLabel('Password').fill('not the password')
  await expect(page.getByText(/^Your password is correct\./)).toHaveCount(0)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByLabel('Password')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('One-time code')).toHaveCount(0)
})

test('the server learns the domain of an address that is typed, and not the address', async ({ page }) => {
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname.endsWith('/auth/providers')) asked.push(searchParams.get('email') ?? '')
  })
  await page.goto('/sign-in')
  await page.getByLabel('E-mail').fill('ines@norrvik.example')
  await expect.poll(() => asked).toEqual(['', 'anyone@norrvik.example'])
})
