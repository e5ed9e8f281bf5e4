import { linkMailedTo } from '../mail.ts'
import { expect, signInByForm, test } from '../tenant.ts'

const h1 = { level: 1 } as const

test('a person who forgot the password chooses a new one by the mailed link, which works once', async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^4(00|10) POST .*password\/reset$/)
  await page.goto('/sign-in')
  await page.getByRole('link', { name: 'Forgot password' }).click()
  await expect(page.getByRole('heading', h1)).toHaveText('Forgot password')
  await page.getByLabel('E-mail').fill(organization.email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'is on its way' })).toBeVisible()

  const link = await linkMailedTo(organization.email, 'reset-password')
  await page.goto(link)
  await expect(page.getByRole('heading', h1)).toHaveText('New password')
  await page.getByLabel('New password').fill('short')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await expect(page.getByLabel('New password')).toHaveAttribute('aria-invalid', 'true')
  await page.getByLabel('New password').fill('nine dry llamas hum')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await expect(page.getByRole('heading', h1)).toHaveText('Sign in')
  await expect(page.getByText('Your new password is set.')).toBeVisible()
  await signInByForm(page, organization.email, 'nine dry llamas hum')

  await page.goto(link)
  await page.getByLabel('New password').fill('ten calm otters dive')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'used or has expired' })).toBeVisible()
  await page.getByRole('link', { name: 'Ask for a new link' }).click()
  await expect(page.getByRole('heading', h1)).toHaveText('Forgot password')
})

test('an unknown address gets the same text', async ({ page }) => {
  await page.goto('/forgot-password')
  await page.getByLabel('E-mail').fill('nobody@norrvik.example')
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'If the address has an account' })).toBeVisible()
})
