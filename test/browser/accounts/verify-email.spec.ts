import { linkMailedTo } from '../mail.ts'
import { expect, signIn, test } from '../tenant.ts'

test('the link of the mail asks for a sign-in, and confirms the address of the person who signs in', async ({
  page,
  organization,
}) => {
  const link = await linkMailedTo(organization.email, 'verify-email')
  await page.goto(link)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
  await page.getByLabel('E-mail').fill(organization.email)
  await page.getByLabel('Password').fill(organization.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByText('Your address is confirmed.')).toBeVisible()
  expect((await organization.api.call('getSession')).email_verified).toBe(true)
  await page.goto(link)
  await expect(page.getByText('Your address is confirmed.')).toBeVisible()
})

test('a link that does not work says so, and a new one can be sent', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^410 POST .*email\/verify$/)
  await signIn(page, organization.email)
  await page.goto('/verify-email?token=of-somebody-else')
  await expect(page.getByText('Your address is not confirmed yet.')).toBeVisible()
  await expect(page.getByText('used or has expired, or belongs to another account')).toBeVisible()
  await page.getByRole('button', { name: 'Send a new link' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'is on its way' })).toBeVisible()
  expect((await organization.api.call('getSession')).email_verified).toBe(false)
})
