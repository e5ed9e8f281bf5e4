import { randomUUID } from 'node:crypto'
import { expect, signInByForm, test } from '../tenant.ts'

test('a person creates an organization, signs out, and signs in again', async ({ page }) => {
  await page.goto('/')
  await expect(page).toHaveURL(/\/sign-in$/)
  await page.getByRole('link', { name: 'Create an organization' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Create an organization')
  const email = `mél-${randomUUID()}@norrvik.example`
  await page.getByLabel('Organization').fill('Norrvik Supply')
  await page.getByLabel('Your name').fill('Mara Lindqvist')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill('seven wet goats sing')
  await page.getByRole('button', { name: 'Create an organization' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
  await expect(page.getByRole('paragraph').filter({ hasText: '0 of 5 steps are done.' })).toBeVisible()
  await page.getByRole('button', { name: /your menu/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
  await signInByForm(page, email)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
})

test('an error of the server is shown at its field, which gets the focus, and what was typed stays', async ({
  page,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 POST .*register$/)
  await page.goto('/register')
  await page.getByLabel('Organization').fill('Norrvik Supply')
  await page.getByLabel('E-mail').fill(`mara-${randomUUID()}@norrvik.example`)
  await page.getByLabel('Password').fill('short')
  await page.getByRole('button', { name: 'Create an organization' }).click()
  await expect(page.getByLabel('Password')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('Password')).toBeFocused()
  await expect(page.getByLabel('Organization')).toHaveValue('Norrvik Supply')
})
