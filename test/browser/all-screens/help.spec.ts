import { findViolationsOfThemes, overflowOf } from '../accessibility.ts'
import { addScene } from '../agents-of-tests.ts'
import { addPerson } from '../people.ts'
import { expect, signIn, test } from '../tenant.ts'

test('the menu of the person opens Help, which says what each role may do', async ({ page, organization }) => {
  const { email } = await addPerson(organization, { role: 'manager', name: 'Marek Dahl' })
  await signIn(page, email)
  await page.getByRole('button', { name: /your menu$/ }).press('Enter')
  await page.getByRole('menuitem', { name: 'Help' }).press('Enter')
  await expect(page).toHaveURL('/help')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Help')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await expect(page.getByText('You are manager of Norrvik Supply')).toBeVisible()
  const own = page.getByRole('region', { name: 'Manager' })
  await expect(own).toContainText('Your role')
  await expect(own.getByText(/invites people/)).toBeVisible()
  await own.getByText('Everything that is new with this role').click()
  await expect(own.getByText('Suspend an agent')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Owner' })).not.toContainText('Your role')
})

test('a read-only person reads on Help, in the own menu and in the settings that the role is read-only', async ({
  page,
  organization,
}) => {
  const { id, email } = await addPerson(organization, { role: 'manager', name: 'Sven Okkarinen' })
  await organization.api.call('updateUser', { path: { user_id: id }, body: { read_only: true } })
  await signIn(page, email, '/help')
  await expect(page.getByText('You are manager of Norrvik Supply, read-only')).toBeVisible()
  await expect(page.getByText('You see what this role sees, and change only your own sign-in and name.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Manager' })).toContainText('Your role, read-only')
  await page.getByRole('button', { name: 'SO, Sven Okkarinen, manager, read-only, your menu' }).click()
  await expect(page.getByText('manager of Norrvik Supply, read-only', { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.goto('/settings?tab=account')
  await expect(page.getByText('manager of Norrvik Supply, read-only', { exact: true })).toBeVisible()
})

test('a menu that is opened while the page loads stays open', async ({ page, organization }) => {
  const { agent } = await addScene(organization)
  await signIn(page, organization.email, '/agents')
  const answer = Promise.withResolvers<void>()
  await page.route(`**/api/v1/agents/${agent.id}?*`, async (route) => {
    await answer.promise
    await route.continue()
  })
  await page.getByRole('link', { name: agent.name }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Agent')
  await page.getByRole('button', { name: /your menu$/ }).press('Enter')
  const help = page.getByRole('menuitem', { name: 'Help' })
  await expect(help).toBeVisible()
  answer.resolve()
  // The menu hides the page behind it from screen readers.
  await expect(page.locator('h1')).toHaveText(agent.name)
  await help.press('Enter')
  await expect(page).toHaveURL('/help')
})

test('the glossary is searched, and the search is in the address', async ({ page, organization }) => {
  await signIn(page, organization.email, '/help?tab=glossary')
  await expect(page.getByRole('region', { name: 'Who is who' })).toContainText('Access scope')
  await page.getByLabel('Search words').fill('drift')
  await expect(page).toHaveURL('/help?tab=glossary&search=drift')
  await expect(page.getByRole('region', { name: 'Assurance' })).toContainText('docs/reviews.md')
  await expect(page.getByRole('region', { name: 'Who is who' })).toHaveCount(0)
  await page.getByLabel('Search words').fill('no such word')
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await expect(page).toHaveURL('/help?tab=glossary')
  await expect(page.getByRole('region', { name: 'Who is who' })).toBeVisible()
})

test('Help lists the shortcuts and the documentation', { tag: '@long' }, async ({ page, organization }) => {
  await signIn(page, organization.email, '/help')
  await page.getByRole('link', { name: 'Keyboard' }).click()
  await expect(page.getByText('Find agents, policies, tools, people, pages and actions')).toBeVisible()
  await page.getByRole('link', { name: 'Documentation' }).click()
  await expect(page.getByRole('term').filter({ hasText: 'docs/edge.md' })).toBeVisible()
  for (const address of ['/docs', '/api/v1/openapi.json', '/getting-started']) {
    await expect(page.getByRole('link', { name: address, exact: true })).toBeVisible()
    expect((await page.request.get(address)).status()).toBe(200)
  }
})

test('Ctrl K and the checklist lead to Help', { tag: '@long' }, async ({ page, organization }) => {
  await signIn(page, organization.email)
  await page.getByRole('link', { name: 'Read what each role may do, and what the words mean' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Help')
  await page.keyboard.press('Control+k')
  await page.getByRole('searchbox').fill('glossary')
  await page.getByRole('menuitem', { name: /^Glossary/ }).click()
  await expect(page).toHaveURL('/help?tab=glossary')
})

test('the first steps in a terminal have the look of the dashboard, and the theme that the reader chose', async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/getting-started')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Getting started')
  expect(await findViolationsOfThemes(page)).toEqual([])
  expect(await overflowOf(page)).toBe(0)
  const body = page.locator('body')
  await expect(body).toHaveCSS('font-family', /^"Inter Variable"/)
  await expect(body).toHaveCSS('background-color', 'rgb(255, 255, 255)')
  await page.evaluate(() => localStorage.setItem('mandate theme', 'dark'))
  await page.reload()
  await expect(body).toHaveCSS('background-color', 'rgb(19, 23, 26)')
})
