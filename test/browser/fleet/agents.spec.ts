import { addScene } from '../agents-of-tests.ts'
import { addPerson } from '../people.ts'
import { closeDialog, expect, signIn, test } from '../tenant.ts'

test('an owner registers an agent, stores its key, and finds it in the list', async ({ page, organization }) => {
  const { policy } = await addScene(organization)
  await organization.api.call('createPolicy', {
    body: { name: 'Trials', environment_id: organization.environments.development },
  })
  await signIn(page, organization.email, '/agents')
  await page.getByRole('button', { name: 'Register agent' }).click()
  const dialog = page.getByRole('dialog', { name: 'Register an agent' })
  await dialog.getByLabel('Name').fill('invoice-matcher')
  await expect(dialog.getByLabel('Environment').getByRole('option', { selected: true })).toHaveText('Development')
  // The server accepts no policy of another environment.
  await dialog.getByLabel('Environment').selectOption('Production')
  await expect(dialog.getByLabel('Policy').getByRole('option')).toHaveText([
    'No policy yet',
    `${policy.name}, version 1`,
  ])
  await expect(dialog.getByText(/1.policy is for another environment and is not listed\./)).toBeVisible()
  await dialog.getByLabel('Policy').selectOption(policy.id)
  await expect(dialog.getByLabel('Owner, who answers for the agent')).toHaveValue('Mara Lindqvist')
  await dialog.getByRole('button', { name: 'Register agent' }).click()
  const secret = page.getByRole('dialog', { name: 'The key of invoice-matcher' })
  await expect(secret.getByText(/^ak_[0-9a-f]{64}$/)).toBeVisible()
  await expect(secret.getByText(/^MANDATE_EDGE_KEY=ak_[0-9a-f]{64} npx mandate edge run/)).toBeVisible()
  await expect(secret.getByText('Waiting for the first heartbeat')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(secret.getByText(/If you leave now/)).toBeVisible()
  await closeDialog(secret, 'Leave without it')
  await expect(page.getByRole('row', { name: /invoice-matcher.*Production/ })).toBeVisible()
  const { data } = await organization.api.call('listAgents', { query: { search: 'invoice-matcher', include: 'names' } })
  expect(data[0]?.owner_user_id).toBe((await organization.api.call('getSession')).user.id)
  await page.getByRole('link', { name: 'Calls by agent' }).click()
  await expect(page.getByLabel('Count by')).toHaveValue('agent')
})

test('a form is not sent before the environments are read', { tag: '@long' }, async ({ page, organization }) => {
  const read = Promise.withResolvers<void>()
  await page.route('**/api/v1/environments?*', async (route) => {
    await read.promise
    await route.continue()
  })
  await signIn(page, organization.email, '/agents')
  await page.getByRole('button', { name: 'Register agent' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Register an agent' })
  await dialog.getByLabel('Name').fill('invoice-matcher')
  const send = dialog.getByRole('button', { name: 'Register agent' })
  await expect(send).toHaveAttribute('aria-disabled', 'true')
  await expect(send).toHaveAccessibleDescription('Choose an environment first.')
  read.resolve()
  await send.click()
  await expect(page.getByRole('dialog', { name: 'The key of invoice-matcher' })).toBeVisible()
})

test('an error of the server is shown at its field', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 POST .*agents$/)
  await signIn(page, organization.email, '/agents')
  await page.getByRole('button', { name: 'Register agent' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('   ')
  await dialog.getByLabel('Framework').fill('langgraph')
  await dialog.getByRole('button', { name: 'Register agent' }).click()
  await expect(dialog.getByLabel('Name')).toHaveAttribute('aria-invalid', 'true')
  await expect(dialog.getByLabel('Framework')).toHaveValue('langgraph')
})

test('the address holds the filters, and no match names them', async ({ page, organization }) => {
  await addScene(organization, { name: 'support-triage' })
  await addScene(organization, { name: 'release-notes', environment: 'development' })
  await signIn(page, organization.email, '/agents')
  await expect(page.getByRole('row', { name: /release-notes/ })).toBeVisible()
  await page.getByRole('button', { name: 'Environment: any' }).click()
  await page.getByRole('menuitemradio', { name: /Production/ }).click()
  await expect(page).toHaveURL(/environment_id=/)
  await expect(page.getByRole('row', { name: /release-notes/ })).toHaveCount(0)
  await expect(page.getByRole('row', { name: /support-triage/ })).toBeVisible()
  await page.getByRole('searchbox', { name: 'Name' }).fill('release')
  await expect(page.getByText('No agent matches: “release” in the name, Environment Production.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await expect(page.getByRole('row', { name: /release-notes/ })).toBeVisible()
  await expect(page.getByRole('searchbox', { name: 'Name' })).toHaveValue('')
  await page.goBack()
  await expect(page.getByRole('searchbox', { name: 'Name' })).toHaveValue('release')
})

test('an owner governs and suppresses many agents of the discovery queue at once', async ({ page, organization }) => {
  const { api, environments } = organization
  const { policy } = await addScene(organization)
  for (const name of ['price-watcher', 'dock-scheduler', 'pallet-counter'])
    await api.call('createAgent', { body: { name, environment_id: environments.production } })
  await signIn(page, organization.email, '/agents')
  await page
    .getByRole('navigation', { name: 'Agents' })
    .getByRole('link', { name: /Discovery queue/ })
    .click()
  await page.getByRole('checkbox', { name: 'Select price-watcher' }).check()
  await page.getByRole('checkbox', { name: 'Select dock-scheduler' }).check()
  const bar = page.getByRole('region', { name: 'Selected agents' })
  await expect(bar.getByText(/2.selected/)).toBeVisible()
  await bar.getByRole('button', { name: 'Assign policy' }).click()
  const dialog = page.getByRole('dialog', { name: /Assign a policy to 2.agents\?/ })
  await expect(dialog.getByRole('button', { name: 'Assign policy' })).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByLabel('Policy').selectOption(policy.id)
  await closeDialog(dialog, 'Assign policy')
  await expect(page.getByRole('row', { name: /price-watcher/ })).toHaveCount(0)
  await page.getByRole('checkbox', { name: 'Select pallet-counter' }).check()
  await bar.getByRole('button', { name: 'Suppress' }).click()
  await closeDialog(page.getByRole('dialog'), 'Suppress')
  await expect(page.getByText('The discovery queue is empty.')).toBeVisible()
  await page
    .getByRole('navigation', { name: 'Agents' })
    .getByRole('link', { name: /Suppressed/ })
    .click()
  await expect(page.getByRole('row', { name: /pallet-counter/ })).toBeVisible()
})

test('the list continues while the reader scrolls, and holds few rows', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { api, environments } = organization
  const { policy } = await addScene(organization)
  for (let from = 0; from < 320; from += 40)
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        api.call('createAgent', {
          body: {
            name: `agent-${String(from + index).padStart(3, '0')}`,
            environment_id: environments.development,
            policy_id: policy.id,
          },
        }),
      ),
    )
  await signIn(page, organization.email, '/agents?sort=name')
  await expect(page.getByRole('row', { name: /agent-000/ })).toBeVisible()
  await expect(async () => {
    await page.mouse.wheel(0, 3000)
    await expect(page.getByRole('checkbox', { name: 'Select support-triage' })).toBeInViewport({ timeout: 300 })
  }).toPass()
  // The sentence of the page has this number too, as a link.
  await expect(page.locator('span').filter({ hasText: /^321\u00a0agents$/ })).toBeVisible()
  expect(await page.getByRole('row').count()).toBeLessThan(320)
  await expect(async () => {
    await page.mouse.wheel(0, -3000)
    await expect(page.getByRole('checkbox', { name: 'Select agent-000' })).toBeInViewport({ timeout: 300 })
  }).toPass()
})

test('a viewer reads why agents cannot be registered', { tag: '@long' }, async ({ page, organization }) => {
  const { email } = await addPerson(organization, { role: 'viewer', name: 'Kofi Brandal' })
  await signIn(page, email, '/agents')
  const button = page.getByRole('button', { name: 'Register agent' })
  await expect(button).toHaveAttribute('aria-disabled', 'true')
  await expect(button).toHaveAccessibleDescription(/member/)
})

test('the filters Policy and Owner find what the most frequent values leave out', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  await addScene(organization)
  const { id } = await organization.api.call('createPolicy', { body: { name: 'Night desk' } })
  const mina = await addPerson(organization, { role: 'member', name: 'Mina Aalto' })
  await signIn(page, organization.email, '/agents')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('button', { name: 'Policy: any' }).click()
  await expect(page.getByRole('menuitemradio', { name: /^Policy of support-triage/ })).toBeVisible()
  await page.getByRole('searchbox', { name: 'Name of the policy' }).fill('night')
  await page.getByRole('menuitemradio', { name: 'Night desk' }).click()
  await expect(page).toHaveURL(new RegExp(`policy_id=${id}`))
  await expect(page.getByRole('button', { name: 'Policy: Night desk' })).toBeVisible()
  await page.getByRole('button', { name: 'Owner: any' }).click()
  await page.getByRole('searchbox', { name: 'Name of the owner' }).fill('aalto')
  await page.getByRole('menuitemradio', { name: 'Mina Aalto' }).click()
  await expect(page).toHaveURL(new RegExp(`owner_user_id=${mina.id}`))
  await expect(page.getByRole('button', { name: 'Owner: Mina Aalto' })).toBeVisible()
  // No agent drifts, so the menu has no frequent values.
  await page.goto('/agents?drift=true')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('button', { name: 'Policy: any' }).click()
  await expect(page.getByRole('dialog').getByText('Type a part of the name.')).toBeVisible()
  await page.getByRole('searchbox', { name: 'Name of the policy' }).fill('nowhere')
  await expect(page.getByRole('dialog').getByText('No policy has this name.')).toBeVisible()
})
