import { addPerson } from '../people.ts'
import { closeDialog, expect, signIn, test } from '../tenant.ts'

/** The pages with a dialog that has an address: the button that opens it, its part of the address, and its title. */
const dialogs = [
  { path: '/agents', button: 'Register agent', dialog: 'register', title: 'Register an agent' },
  { path: '/edges', button: 'Create edge', dialog: 'create', title: 'Create an edge' },
  { path: '/environments', button: 'Create environment', dialog: 'create', title: 'Create an environment' },
  { path: '/policies', button: 'Create policy', dialog: 'create', title: 'Create a policy' },
  { path: '/content-patterns', button: 'Create pattern', dialog: 'create', title: 'Create a content pattern' },
  { path: '/credentials', button: 'Store a credential', dialog: 'create', title: 'Store a credential' },
  { path: '/reports', button: 'Create report', dialog: 'create', title: 'Create a report' },
  { path: '/team', button: 'Invite', dialog: 'invite', title: 'Invite a person' },
  { path: '/team', button: 'Invite a learner', dialog: 'invite-learner', title: 'Invite a learner' },
  { path: '/keys', button: 'Create key', dialog: 'create', title: 'Create a key' },
]

for (const { path, button, dialog, title } of dialogs) {
  test(`${button} on ${path} has an address: a link opens it, and Back closes it`, { tag: '@long' }, async ({
    page,
    organization,
  }) => {
    await signIn(page, organization.email, path)
    const opener = page.getByRole('button', { name: button, exact: true }).first()
    const opened = page.getByRole('dialog', { name: title })
    await opener.click()
    await expect(opened).toBeVisible()
    await expect(page).toHaveURL(`${path}?dialog=${dialog}`)
    await page.goBack()
    await expect(opened).toHaveCount(0)
    await expect(page).toHaveURL(path)
    await page.goForward()
    await expect(opened).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(opened).toHaveCount(0)
    await expect(page).toHaveURL(path)

    await page.goto(`${path}?dialog=${dialog}`)
    await expect(opened).toBeVisible()
    await closeDialog(opened, 'Cancel')
    await expect(page).toHaveURL(path)
  })
}

test('the second factor has an address on the tab of the account', { tag: '@long' }, async ({ page, organization }) => {
  await signIn(page, organization.email, '/settings?tab=account')
  await page.getByRole('button', { name: 'Set up the second factor' }).click()
  await expect(page).toHaveURL('/settings?tab=account&dialog=second-factor')
  await page.goBack()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page).toHaveURL('/settings?tab=account')
})

test('the focus returns to the button, and the filters stay', async ({ page, organization }) => {
  await signIn(page, organization.email, '/keys?state=revoked')
  const opener = page.getByRole('button', { name: 'Create key' })
  await opener.click()
  await expect(page).toHaveURL('/keys?state=revoked&dialog=create')
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL('/keys?state=revoked')
  await expect(opener).toBeFocused()
})

test('a link opens no dialog for a person who may not use it', { tag: '@long' }, async ({ page, organization }) => {
  const { email } = await addPerson(organization, { role: 'viewer', name: 'Vera Sund' })
  await signIn(page, email, '/team?dialog=invite')
  await expect(page.getByRole('button', { name: 'Invite', exact: true })).toBeDisabled()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('Back from the page of a new policy leads to the list', { tag: '@long' }, async ({ page, organization }) => {
  await signIn(page, organization.email, '/policies?environment_id=')
  await page.getByRole('button', { name: 'Create policy' }).first().click()
  await page.getByRole('dialog').getByLabel('Name').fill('Shared files')
  await closeDialog(page.getByRole('dialog'), 'Create')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Shared files')
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Policies')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('Back asks once before it leaves a key that was not copied', async ({ page, organization }) => {
  await signIn(page, organization.email, '/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill('ci-release')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  const secret = page.getByRole('dialog', { name: 'The key ci-release' })
  await expect(secret).toBeVisible()
  await page.goBack()
  await expect(page.getByText('You have not copied the key.')).toBeVisible()
  await page.getByRole('button', { name: 'Stay' }).click()
  await expect(secret.getByRole('button', { name: 'I stored it' })).toBeVisible()
  await page.goBack()
  await closeDialog(page.getByRole('dialog'), 'Leave without it')
  await expect(secret).toHaveCount(0)
  await expect(page).toHaveURL('/keys')
})

test('Ctrl K opens dialogs of other pages, and finds a person', async ({ page, organization }) => {
  await signIn(page, organization.email)
  await page.keyboard.press('Control+k')
  await page.getByRole('searchbox').fill('create key')
  await page.getByRole('menuitem', { name: 'Create key' }).click()
  await expect(page.getByRole('dialog', { name: 'Create a key' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page).toHaveURL('/keys')
  await page.keyboard.press('Control+k')
  await page.getByRole('searchbox').fill('Lindqvist')
  await page.getByRole('menuitem', { name: /Mara Lindqvist/ }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Team')
  await expect(page.getByRole('row', { name: /^Mara Lindqvist/ })).toBeVisible()
  await expect(page.getByLabel('Search people')).toHaveValue(organization.email)
})

test('a dialog stays open while its request is under way, because closing it would not stop the request', async ({
  page,
  organization,
}) => {
  await signIn(page, organization.email)
  const answer = Promise.withResolvers<void>()
  let sent = 0
  await page.route('**/api-keys', async (route) => {
    if (route.request().method() === 'POST') {
      sent++
      await answer.promise
    }
    await route.continue()
  })
  await page.goto('/keys?dialog=create')
  const dialog = page.getByRole('dialog', { name: 'Create a key' })
  await dialog.getByLabel('Name').fill('ci-release')
  await dialog.getByLabel('Name').press('Enter')
  await expect(dialog.getByRole('button', { name: 'Create key' })).toHaveAttribute('aria-busy', 'true')
  await dialog.getByLabel('Name').press('Enter')
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeVisible()
  answer.resolve()
  await expect(page.getByRole('dialog', { name: 'The key ci-release' })).toBeVisible()
  expect(sent).toBe(1)
})

test('a dialog asks before it throws typed text away, and keeps the text otherwise', async ({ page, organization }) => {
  await signIn(page, organization.email, '/agents')
  await page.getByRole('button', { name: 'Register agent' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Register an agent' })
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await dialog.getByLabel('Description').fill('Reads the mail of the support.')
  const leave = [
    () => page.keyboard.press('Escape'),
    () => dialog.getByRole('button', { name: 'Cancel' }).click(),
    () => page.goBack(),
  ]
  for (const way of leave) {
    await way()
    await expect(question).toBeVisible()
    await closeDialog(question, 'Cancel')
    await expect(dialog.getByLabel('Description')).toHaveValue('Reads the mail of the support.')
  }
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await question.getByRole('button', { name: 'Discard the text' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page).toHaveURL('/agents')
})

test('a reason that was typed is asked for too, and a text that was deleted again is not', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { agent } = await organization.api.call('createAgent', {
    body: { name: 'price-watcher', environment_id: organization.environments.production },
  })
  await signIn(page, organization.email, `/agents/${agent.id}`)
  await page.getByRole('button', { name: 'Suspend' }).click()
  const dialog = page.getByRole('dialog', { name: 'Suspend price-watcher?' })
  await dialog.getByLabel('Reason').fill('Too many calls.')
  await page.keyboard.press('Escape')
  await closeDialog(page.getByRole('dialog', { name: 'Leave without saving?' }), 'Cancel')
  await dialog.getByLabel('Reason').fill('')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('a pasted text that is too long is not cut, and the field says so', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  await signIn(page, organization.email, '/agents?dialog=register')
  const dialog = page.getByRole('dialog', { name: 'Register an agent' })
  const name = dialog.getByLabel('Name')
  await name.fill('x'.repeat(450))
  await expect(name).toHaveValue('x'.repeat(450))
  await expect(name).toHaveAccessibleDescription('At most 200 characters; this has 450.')
  await dialog.getByRole('button', { name: 'Register agent' }).click()
  await expect(name).toBeFocused()
  await name.fill('x'.repeat(200))
  await expect(name).toHaveAccessibleDescription('')
})

test('the end of an act is told after Back has closed its dialog', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^40\d POST .*archive$/)
  const { agent } = await organization.api.call('createAgent', {
    body: { name: 'price-watcher', environment_id: organization.environments.production },
  })
  await signIn(page, organization.email, '/agents')
  await page.evaluate((to) => history.pushState(null, '', to), `/agents/${agent.id}`)
  // The list has a button with this name too.
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('price-watcher')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Archive…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Archive price-watcher?' })
  const answer = Promise.withResolvers<void>()
  await page.route('**/archive', async (route) => {
    await organization.api.call('archiveAgent', { path: { agent_id: agent.id } })
    await answer.promise
    await route.continue()
  })
  await dialog.getByRole('button', { name: 'Archive' }).click()
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Agents')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  answer.resolve()
  await expect(page.getByLabel('Messages').getByText(/archived/)).toBeVisible()
})
