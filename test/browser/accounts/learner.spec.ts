import { randomUUID } from 'node:crypto'
import { findViolationsOfThemes } from '../accessibility.ts'
import { linkMailedTo } from '../mail.ts'
import { addLearner } from '../people.ts'
import { expect, test } from '../tenant.ts'

test('a learner reads what the account is for and whom to ask, and gets the dashboard after an owner gives access', async ({
  page,
  organization,
}) => {
  const email = `lea-${randomUUID()}@norrvik.example`
  await organization.api.call('inviteLearner', { body: { email } })
  await page.goto(await linkMailedTo(email, 'join'))
  await page.getByLabel('Password').fill('seven wet goats sing')
  await page.getByRole('button', { name: 'Join' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Learner account')
  await expect(page.getByText('Ask Mara Lindqvist for access')).toBeVisible()
  expect(await findViolationsOfThemes(page)).toEqual([])
  // Nothing of the dashboard is asked for at another address either: a refused request would fail the test.
  await page.goto('/?filter=x')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Learner account')

  const { data } = await organization.api.call('listUsers', { query: { academy_only: true } })
  const id = data[0]?.id as string
  await organization.api.call('grantPlatformAccess', { path: { user_id: id }, body: { role: 'member' } })
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
  await page.getByRole('button', { name: /your menu/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
})

test('a learner changes the own name, and leaves', { tag: '@long' }, async ({ page, organization }) => {
  const lea = await addLearner(organization, 'Lea Brandt')
  await page.goto('/sign-in')
  await page.getByLabel('E-mail').fill(lea.email)
  await page.getByLabel('Password').fill(organization.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('link', { name: 'Your name, password and second factor' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your account')
  await page.getByLabel('Your name').fill('Lea Brandt-Okoye')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved your name.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Sessions, last used first' }).getByText('this session')).toBeVisible()
  expect(await findViolationsOfThemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Leave the organization' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(`Type ${lea.email} to confirm`).fill(lea.email)
  await dialog.getByRole('button', { name: 'Leave the organization' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
  const { data } = await organization.api.call('listUsers', { query: { academy_only: true } })
  expect(data).toEqual([])
})
