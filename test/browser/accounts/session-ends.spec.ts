import type { Page } from '@playwright/test'
import { findViolationsOfThemes } from '../accessibility.ts'
import { newFleet } from '../fleet.ts'
import { addPerson } from '../people.ts'
import { expect, type Organization, serverUrl, signIn, signInByForm, test } from '../tenant.ts'

/** Longer than an access token is valid. */
const tokenMs = 16 * 60_000

/** Ends the sessions of a person, and lets the access token of the page expire. */
async function endSession(page: Page, { api }: Organization, userId: string): Promise<void> {
  await api.call('revokeUserSessions', { path: { user_id: userId } })
  await page.clock.fastForward(tokenMs)
}

const signInAgain = (page: Page) => page.getByRole('dialog', { name: 'Sign in again' })

test('a form keeps what was typed when the session ends, and is sent after a new sign-in', async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^401 /)
  const { id, email } = await addPerson(organization, { role: 'member', name: 'Kofi Brandal' })
  await page.clock.install()
  await signIn(page, email, '/agents')
  await page.getByRole('button', { name: 'Register agent' }).first().click()
  const form = page.getByRole('dialog', { name: 'Register an agent' })
  await form.getByLabel('Name').fill('invoice-matcher')
  await form.getByLabel('Framework').fill('langgraph')
  await endSession(page, organization, id)
  await expect(signInAgain(page)).toContainText(email)
  await expect(signInAgain(page).getByLabel('Password')).toBeFocused()
  await page.keyboard.press('Escape')
  await signInAgain(page).getByLabel('Password').fill('not the password')
  await signInAgain(page).getByLabel('Password').press('Enter')
  await expect(signInAgain(page).getByLabel('Password')).toHaveAttribute('aria-invalid', 'true')
  await signInAgain(page).getByLabel('Password').fill(organization.password)
  await signInAgain(page).getByLabel('Password').press('Enter')
  await expect(signInAgain(page)).toHaveCount(0)
  await expect(form.getByLabel('Framework')).toHaveValue('langgraph')
  await form.getByRole('button', { name: 'Register agent' }).click()
  await expect(page.getByRole('dialog', { name: 'The key of invoice-matcher' })).toBeVisible()
})

test('the question to sign in again is accessible in both themes, also with an error', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^401 /)
  const { id, email } = await addPerson(organization, { role: 'member', name: 'Kofi Brandal' })
  await signIn(page, email, '/agents')
  await expect(page.getByRole('button', { name: 'Register agent' }).first()).toBeVisible()
  await organization.api.call('removeUser', { path: { user_id: id } })
  await page.getByRole('link', { name: 'Policies', exact: true }).click()
  await expect(signInAgain(page)).toBeVisible()
  expect(await findViolationsOfThemes(page)).toEqual([])
  await signInAgain(page).getByLabel('Password').fill(organization.password)
  await signInAgain(page).getByLabel('Password').press('Enter')
  await expect(signInAgain(page).getByText('wrong email, password or one-time password')).toBeVisible()
  expect(await findViolationsOfThemes(page)).toEqual([])
})

test('a save that meets the end of the session waits for a sign-in, which may happen in another tab', {
  tag: '@long',
}, async ({ page, organization, context, expectedFaults }) => {
  expectedFaults.push(/^401 /)
  const { id, email } = await addPerson(organization, { role: 'member', name: 'Kofi Brandal' })
  await signIn(page, email, '/keys')
  await page.getByRole('button', { name: 'Create key' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create a key' })
  await form.getByLabel('Name').fill('export to the archive')
  await form.getByLabel('Works in').selectOption('Production')
  await organization.api.call('revokeUserSessions', { path: { user_id: id } })
  await form.getByRole('button', { name: 'Create key' }).click()
  await expect(signInAgain(page)).toBeVisible()
  const other = await context.newPage()
  await signInByForm(other, email)
  await expect(signInAgain(page)).toHaveCount(0)
  await expect(page.getByRole('dialog', { name: 'The key export to the archive' })).toBeVisible()
})

test('a person who was removed cannot go on, and can leave the page', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^401 /)
  const { id, email } = await addPerson(organization, { role: 'member', name: 'Kofi Brandal' })
  await signIn(page, email, '/agents')
  await expect(page.getByRole('button', { name: 'Register agent' }).first()).toBeVisible()
  await organization.api.call('removeUser', { path: { user_id: id } })
  await page.getByRole('link', { name: 'Policies', exact: true }).click()
  await signInAgain(page).getByLabel('Password').fill(organization.password)
  await signInAgain(page).getByLabel('Password').press('Enter')
  await expect(signInAgain(page).getByText('wrong email, password or one-time password')).toBeVisible()
  await signInAgain(page).getByRole('button', { name: 'Leave this page' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
  await page.goto('/agents')
  await expect(page).toHaveURL(/\/sign-in\?next=/)
})

test('after a lower role, a refused act says why, and the page offers it no more', async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^403 POST .*agents$/)
  const { id, email } = await addPerson(organization, { role: 'member', name: 'Kofi Brandal' })
  await signIn(page, email, '/agents')
  const open = page.getByRole('button', { name: 'Register agent' }).first()
  await open.click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name').fill('invoice-matcher')
  await organization.api.call('updateUser', { path: { user_id: id }, body: { role: 'viewer' } })
  await form.getByRole('button', { name: 'Register agent' }).click()
  await expect(form.getByText(/member/).first()).toBeVisible()
  await expect(form.getByLabel('Name')).toHaveValue('invoice-matcher')
  await form.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Discard the text' }).click()
  await expect(open).toHaveAttribute('aria-disabled', 'true')
  await expect(open).toHaveAccessibleDescription(/member/)
  await expect(page.getByRole('button', { name: 'KB, Kofi Brandal, viewer, your menu' })).toBeVisible()
})

test('a sign-out in one tab shows in all, also where a draft is not saved', async ({ page, organization, context }) => {
  const { policy } = await newFleet(serverUrl(), organization)
  await signIn(page, organization.email, `/policies/${policy.id}`)
  await page.getByRole('button', { name: 'Edit Refunds', exact: true }).click()
  await page.getByLabel('Reason').fill('Small refunds pass.')
  const other = await context.newPage()
  await other.goto('/')
  await other.getByRole('button', { name: /your menu$/ }).click()
  await other.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Sign in')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
  await page.goBack()
  await expect(page).toHaveURL(/\/sign-in/)
})

test('tabs share one refresh', { tag: '@long' }, async ({ page, organization, context }) => {
  await signIn(page, organization.email)
  const tabs = [page, await context.newPage(), await context.newPage()]
  await context.clock.install()
  for (const tab of tabs) {
    await tab.goto('/findings')
    await expect(tab.getByRole('heading', { level: 1 })).toHaveText('Findings')
  }
  const refreshes: string[] = []
  context.on('request', (request) => void (request.url().endsWith('/auth/refresh') && refreshes.push(request.url())))
  // A token that arrived before the clock of a tab jumped would be expired there. So no refresh leaves before all clocks have jumped.
  const jumped = Promise.withResolvers<void>()
  await context.route('**/auth/refresh', async (route) => {
    await jumped.promise
    await route.continue()
  })
  // All tabs of a context have one clock.
  await context.clock.fastForward(tokenMs)
  jumped.resolve()
  for (const tab of tabs) {
    await tab.getByRole('link', { name: 'Reviews', exact: true }).click()
    await expect(tab.getByRole('heading', { level: 1 })).toHaveText('Reviews')
    await expect(tab.getByText('No review waits for you.')).toBeVisible()
  }
  expect(refreshes).toHaveLength(1)
})

test('a sign-out that the server did not get, or refused, says that the person is still signed in', {
  tag: '@long',
}, async ({ page, organization, context, expectedFaults }) => {
  expectedFaults.push(/^400 POST .*sign-out$/, /ERR_INTERNET_DISCONNECTED|cannot be reached/)
  await signIn(page, organization.email, '/settings?tab=account')
  const signOut = page.getByRole('button', { name: 'Sign out', exact: true })
  await expect(signOut).toBeVisible()
  await context.setOffline(true)
  await signOut.click()
  const said = page.getByText(/^You are still signed in\./)
  await expect(said).toContainText('cannot be reached')
  await page.getByRole('button', { name: 'Close' }).click()
  await context.setOffline(false)
  // A body that is no JSON is refused.
  await context.route('**/auth/sign-out', (route) =>
    route.continue({
      headers: { ...route.request().headers(), 'content-type': 'application/json' },
      postData: '{',
    }),
  )
  await signOut.click()
  await expect(said).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings')
  await context.unroute('**/auth/sign-out')
  await signOut.click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
})
