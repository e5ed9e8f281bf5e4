import { Secret, TOTP } from 'otpauth'
import { addLearner, addPerson } from '../people.ts'
import { closeDialog, expect, serverUrl, signedIn, signIn, test } from '../tenant.ts'

/** Longer than an access token is valid. */
const tokenMs = 16 * 60_000

test('an owner invites a person, who holds a seat, and withdraws the invitation', async ({ page, organization }) => {
  await signIn(page, organization.email)
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Team')
  await expect(page.getByText(/^1.of.5.seats is taken\. /)).toBeVisible()
  // The page that is open already.
  await expect(page.getByRole('main').locator('a[href="/team"]')).toHaveCount(0)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByLabel('E-mail').fill('r.oberhaug@norrvik.example')
  await expect(page.getByText('For an auditor, choose Manager and Read-only')).toBeVisible()
  await page.getByLabel('Role', { exact: true }).selectOption('Viewer')
  await page.getByRole('button', { name: 'Send invitation' }).click()
  const created = page.getByRole('dialog', { name: 'The invitation is ready' })
  await expect(created).toContainText('An invitation for r.oberhaug@norrvik.example has been created.')
  await expect(created).toContainText('this server has no mail server. It writes the mail into the folder mail')
  await closeDialog(created, 'Close')
  const invitations = page.getByRole('region', { name: 'Pending invitations' }).getByRole('table')
  await expect(invitations.getByRole('row', { name: /r\.oberhaug/ })).toContainText('Viewer')
  await expect(page.getByText(/^2.of.5.seats are taken, 1.of them by an open invitation\. /)).toBeVisible()
  await invitations.getByRole('button', { name: 'More actions for r.oberhaug@norrvik.example' }).click()
  const more = page.getByRole('dialog', { name: 'Actions for r.oberhaug@norrvik.example' })
  await expect(more.getByRole('button', { name: 'Copy id' })).toBeVisible()
  await expect(more.getByRole('link', { name: 'History' })).toHaveAttribute('href', /resource_type=user&resource_id=/)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Withdraw the invitation of r.oberhaug@norrvik.example' }).click()
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await closeDialog(page.getByRole('dialog'), 'Withdraw')
  await expect(page.getByText('No invitation waits for an answer.')).toBeVisible()
})

test('without a free seat, the dialog says so, and the refusal is not an error of the address', async ({
  page,
  organization: { api, id, email },
  expectedFaults,
}) => {
  expectedFaults.push(/^400 POST .*invite$/)
  for (const name of ['ada', 'bo', 'cleo', 'dag'])
    await api.call('inviteUser', { path: { id }, body: { email: `${name}@norrvik.example`, role: 'viewer' } })
  await signIn(page, email, '/team')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite a person' })
  await expect(dialog.getByText('No seat is free.')).toBeVisible()
  await dialog.getByLabel('E-mail').fill('eve@norrvik.example')
  await dialog.getByRole('button', { name: 'Send invitation' }).click()
  await expect(dialog.getByText(/user limit is reached/)).toBeVisible()
  await expect(dialog.getByLabel('E-mail')).not.toHaveAttribute('aria-invalid')
})

test('an address that the server refuses is an error at its field', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^409 POST .*invite$/)
  await signIn(page, organization.email, '/team')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByLabel('E-mail').fill(organization.email)
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await expect(page.getByLabel('E-mail')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('E-mail')).toHaveValue(organization.email)
})

test('an owner changes the role of a person, limits the access, makes them read-only, and grants an agent', async ({
  page,
  organization,
}) => {
  const kofi = await addPerson(organization, { role: 'viewer', name: 'Kofi Brandal' })
  const environment_id = organization.environments.production
  const { agent } = await organization.api.call('createAgent', { body: { name: 'price-watcher', environment_id } })
  await signIn(page, organization.email, '/team')
  const row = page.getByRole('row', { name: /^Kofi Brandal/ })
  await page.getByRole('button', { name: 'Change role of Kofi Brandal' }).click()
  const change = page.getByRole('dialog').getByRole('button', { name: 'Change role' })
  await expect(change).toHaveAccessibleDescription('Choose another role first.')
  await page.getByLabel('Role', { exact: true }).selectOption('Member')
  await closeDialog(page.getByRole('dialog'), 'Change role')
  await expect(row).toContainText('Member')

  await page.getByRole('button', { name: 'More actions for Kofi Brandal' }).click()
  await page.getByRole('button', { name: 'Limit access' }).click()
  await closeDialog(page.getByRole('dialog'), 'Limit access')
  await expect(row).toContainText('Scoped, nothing granted')

  await page.getByRole('button', { name: 'More actions for Kofi Brandal' }).click()
  await page.getByRole('button', { name: 'Make read-only' }).click()
  await closeDialog(page.getByRole('dialog'), 'Make read-only')
  await expect(row).toContainText('Member, read-only')

  await page.getByRole('button', { name: 'More actions for Kofi Brandal' }).click()
  await page.getByRole('button', { name: 'Grant agents' }).click()
  await page.getByLabel('price-watcher').check()
  await expect(page.getByText('No agent is granted.')).toBeHidden()
  await closeDialog(page.getByRole('dialog'), 'Done')
  await expect(row).toContainText('Scoped, 1\u00a0agent')
  await expect(page.getByRole('button', { name: 'More actions for Kofi Brandal' })).toBeFocused()
  const { grants } = await organization.api.call('listGrants', { path: { user_id: kofi.id } })
  expect(grants.map(({ resource_id }) => resource_id)).toEqual([agent.id])
})

test('the search for agents to grant leaves out granted agents that do not match', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { api, environments } = organization
  const { id: user_id } = await addPerson(organization, { role: 'viewer', name: 'Kofi Brandal' })
  for (const name of ['price-watcher', 'night-desk', 'night-watch']) {
    const { agent } = await api.call('createAgent', { body: { name, environment_id: environments.production } })
    const body = { resource_type: 'agent', resource_id: agent.id } as const
    if (name !== 'night-desk') await api.call('createGrant', { path: { user_id }, body })
  }
  await signIn(page, organization.email, '/team')
  await page.getByRole('button', { name: 'More actions for Kofi Brandal' }).click()
  await page.getByRole('button', { name: 'Grant agents' }).click()
  const boxes = page.getByRole('group', { name: 'Agents' }).getByRole('checkbox')
  await expect(boxes).toHaveCount(3)
  await page.getByLabel('Find agents to grant').fill('night')
  await expect(boxes).toHaveCount(2)
  await expect(page.getByLabel('night-watch')).toBeChecked()
  await page.getByLabel('Find agents to grant').fill('desk')
  await expect(boxes).toHaveCount(1)
  await page.getByLabel('night-desk').check()
  await page.getByLabel('Find agents to grant').fill('nothing of this name')
  await expect(page.getByText('No agent matches.')).toBeVisible()
})

test('the removal of a person shows first what stops working', async ({ page, organization }) => {
  await addPerson(organization, { role: 'member', name: 'Ines Varmaux' })
  await signIn(page, organization.email, '/team')
  await page.getByRole('button', { name: 'More actions for Ines Varmaux' }).click()
  const answer = Promise.withResolvers<void>()
  await page.route('**/removal-preview', async (route) => {
    await answer.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Remove' }).click()
  const remove = page.getByRole('dialog').getByRole('button', { name: 'Remove' })
  await expect(remove).toHaveAccessibleDescription('The effects must be read first.')
  answer.resolve()
  await expect(page.getByText('No API key stops working.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await closeDialog(page.getByRole('dialog'), 'Remove')
  await expect(page.getByRole('row', { name: /^Ines Varmaux/ })).toBeHidden()
})

test('an owner resets the second factor of a person, who then signs in with the password only', {
  tag: '@long',
}, async ({ page, organization }) => {
  const { email } = await addPerson(organization, { role: 'member', name: 'Ines Varmaux' })
  const ines = await signedIn(email)
  const { secret } = await ines.call('startTotp', { body: { password: organization.password } })
  await ines.call('confirmTotp', { body: { otp: new TOTP({ secret: Secret.fromBase32(secret) }).generate() } })
  await expect(signedIn(email)).rejects.toThrow()
  await signIn(page, organization.email, '/team')
  const row = page.getByRole('row', { name: /^Ines Varmaux/ })
  await expect(row).toContainText('code')
  await page.getByRole('button', { name: 'More actions for Ines Varmaux' }).click()
  await page.getByRole('button', { name: 'Reset MFA' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reset MFA of Ines Varmaux?' })
  await expect(dialog).toContainText('every session ends. A mail says so.')
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await closeDialog(dialog, 'Reset MFA')
  await expect(row).toContainText('none')
  expect((await (await signedIn(email)).call('getSession')).user.display_name).toBe('Ines Varmaux')
})

test('an owner ends the sessions of a person, who must sign in again', { tag: '@long' }, async ({
  page,
  organization,
  browser,
}) => {
  const { email } = await addPerson(organization, { role: 'member', name: 'Ines Varmaux' })
  const context = await browser.newContext({ baseURL: serverUrl() })
  const other = await context.newPage()
  await other.clock.install()
  await signIn(other, email)
  await signIn(page, organization.email, '/team')
  await page.getByRole('button', { name: 'More actions for Ines Varmaux' }).click()
  await page.getByRole('button', { name: 'End sessions' }).click()
  const dialog = page.getByRole('dialog', { name: 'End the sessions of Ines Varmaux?' })
  await expect(dialog).toContainText('This person must sign in again, on every device.')
  await closeDialog(dialog, 'End sessions')
  await expect(page.getByLabel('Messages')).toContainText('Ended the sessions of Ines Varmaux.')
  await other.clock.fastForward(tokenMs)
  await expect(other.getByRole('dialog', { name: 'Sign in again' })).toContainText(email)
  await context.close()
})

test('a learner gets platform access', async ({ page, organization }) => {
  await addLearner(organization, 'Oda Rasmussen')
  await signIn(page, organization.email, '/team')
  await page.getByRole('button', { name: 'Give platform access to Oda Rasmussen' }).click()
  await page.getByLabel('Role', { exact: true }).selectOption('Member')
  await closeDialog(page.getByRole('dialog'), 'Give platform access')
  const people = page.getByRole('region', { name: 'People' }).getByRole('table')
  await expect(people.getByRole('row', { name: /^Oda Rasmussen/ })).toContainText('Member')
})

test('the invitation of a learner says when it expires, and is sent again', async ({ page, organization }) => {
  await organization.api.call('inviteLearner', { body: { email: 'oda@norrvik.example' } })
  await signIn(page, organization.email, '/team')
  const learners = page.getByRole('region', { name: 'Learners' }).getByRole('table')
  await expect(learners.getByRole('row', { name: /^oda@norrvik/ })).toContainText(/Invited, expires in 7.days/)
  await learners.getByRole('button', { name: 'Send again to oda@norrvik.example' }).click()
  await expect(page.getByLabel('Messages')).toContainText('An invitation for oda@norrvik.example has been created.')
})

test('a viewer sees the people and why the actions are not possible', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const sven = await addPerson(organization, { role: 'viewer', name: 'Sven Okkarinen' })
  await signIn(page, sven.email, '/team')
  await expect(page.getByRole('row', { name: /^Mara Lindqvist/ })).toContainText('Owner')
  const invite = page.getByRole('button', { name: 'Invite', exact: true })
  await expect(invite).toHaveAttribute('aria-disabled', 'true')
  await expect(invite).toHaveAccessibleDescription(/manager|owner/)
  await invite.click({ force: true })
  await expect(page.getByRole('dialog')).toBeHidden()
})

test('a search is in the address, and a search without a match says so', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  await signIn(page, organization.email, '/team')
  await page.getByLabel('Search people').fill('nobody at all')
  await expect(page.getByText('No active person matches: “nobody at all” in the name.')).toBeVisible()
  await expect(page).toHaveURL(/search=nobody/)
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await expect(page.getByRole('row', { name: /^Mara Lindqvist/ })).toBeVisible()
  await page.getByRole('link', { name: '1 person has no second factor' }).click()
  await expect(page).toHaveURL(/second_factor=none/)
  await expect(page.getByRole('row', { name: /^Mara Lindqvist/ })).toBeVisible()
  await page.goto('/team?second_factor=provider')
  await expect(page.getByText('No active person matches: Second factor by sign-in provider.')).toBeVisible()
})

test('a person with limited access to whom nothing is granted reads whom to ask', async ({ page, organization }) => {
  const kofi = await addPerson(organization, { role: 'member', name: 'Kofi Brandal' })
  await organization.api.call('setAccessScope', { path: { user_id: kofi.id }, body: { access_scope: 'scoped' } })
  await signIn(page, kofi.email)
  for (const path of ['/', '/agents', '/environments']) {
    await page.goto(`${serverUrl()}${path}`)
    await expect(
      page.getByText('You see only what you were granted. Ask a manager or an owner for access.'),
    ).toBeVisible()
  }
  await expect(page.getByText('You have access to no environment. Ask a manager or an owner for access.')).toBeVisible()
})

test('a box of the grants cannot be changed while it is saved, so the access ends that is taken back', {
  tag: '@long',
}, async ({ page, organization }) => {
  const kofi = await addPerson(organization, { role: 'viewer', name: 'Kofi Brandal' })
  const environment_id = organization.environments.production
  await organization.api.call('createAgent', { body: { name: 'price-watcher', environment_id } })
  await organization.api.call('setAccessScope', { path: { user_id: kofi.id }, body: { access_scope: 'scoped' } })
  await signIn(page, organization.email, '/team')
  await page.getByRole('button', { name: 'More actions for Kofi Brandal' }).click()
  await page.getByRole('button', { name: 'Grant agents' }).click()
  const box = page.getByLabel('price-watcher')
  const answer = Promise.withResolvers<void>()
  await page.route('**/grants', async (route) => {
    if (route.request().method() === 'POST') await answer.promise
    await route.continue()
  })
  await box.check()
  await expect(box).toHaveAttribute('aria-disabled', 'true')
  await box.click({ force: true })
  await expect(box).toBeChecked()
  answer.resolve()
  await expect(box).toHaveAttribute('aria-disabled', 'false')
  await box.uncheck()
  await expect(page.getByText('No agent is granted.')).toBeVisible()
  const { grants } = await organization.api.call('listGrants', { path: { user_id: kofi.id } })
  expect(grants).toEqual([])
})

test('the page, whose data has no events, does not call itself live', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  await signIn(page, organization.email)
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Team')
  await expect(page.getByText('Live', { exact: true })).toHaveCount(0)
})

test('the id of a person is copied', { tag: '@long' }, async ({ page, organization, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { id } = await addPerson(organization, { role: 'member', name: 'Ines Varmaux' })
  await signIn(page, organization.email, '/team')
  await page.getByRole('button', { name: 'More actions for Ines Varmaux' }).click()
  await page.getByRole('button', { name: 'Copy id' }).click()
  await expect(page.getByLabel('Messages')).toContainText('Copied the id of Ines Varmaux.')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id)
})

test('the search of the team finds invited people and learners, also from Ctrl K', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { id, api } = organization
  await api.call('inviteUser', { path: { id }, body: { email: 'ida@norrvik.example', role: 'member' } })
  await api.call('inviteLearner', { body: { email: 'oda@norrvik.example' } })
  await signIn(page, organization.email, '/help')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('ida@norr')
  await page.getByRole('menuitem', { name: 'ida@norrvik.example' }).click()
  const invitations = page.getByRole('region', { name: 'Pending invitations' })
  await expect(invitations.getByRole('row', { name: /ida@norrvik/ })).toBeVisible()
  await expect(page.getByText('No active person matches')).toBeVisible()
  await expect(page.getByText('No learner matches.')).toBeVisible()
  await page.getByLabel('Search people').fill('oda')
  await expect(page.getByRole('region', { name: 'Learners' }).getByRole('row', { name: /oda@norrvik/ })).toBeVisible()
  await expect(page.getByText('No invitation matches.')).toBeVisible()
})

test('a second press of Send again sends no second mail', { tag: '@long' }, async ({ page, organization }) => {
  const { id, api } = organization
  await api.call('inviteUser', { path: { id }, body: { email: 'ida@norrvik.example', role: 'member' } })
  const answer = Promise.withResolvers<void>()
  let sent = 0
  await page.route('**/api/v1/**/invite', async (route) => {
    sent++
    await answer.promise
    await route.continue()
  })
  await signIn(page, organization.email, '/team')
  const again = page.getByRole('button', { name: 'Send again to ida@norrvik.example' })
  await again.click()
  await expect(again).toHaveAttribute('aria-busy', 'true')
  await again.click()
  answer.resolve()
  await expect(page.getByLabel('Messages')).toContainText('ida@norrvik.example')
  expect(sent).toBe(1)
})
