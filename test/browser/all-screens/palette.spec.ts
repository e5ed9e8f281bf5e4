import type { Page } from '@playwright/test'
import { addPerson } from '../people.ts'
import { expect, signIn, test } from '../tenant.ts'

/** Opens the palette by keyboard and types. */
async function find(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog', { name: 'Find' }).getByRole('searchbox')).toBeFocused()
  await page.keyboard.type(text)
}

test('Ctrl K finds pages, agents and actions by keyboard alone', async ({ page, organization }) => {
  const { api, environments } = organization
  await api.call('createAgent', { body: { name: 'warehouse-forecaster', environment_id: environments.production } })
  await signIn(page, organization.email)
  const palette = page.getByRole('dialog', { name: 'Find' })
  await find(page, 'find')
  await expect(palette.getByRole('menuitem', { name: /Findings/ })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Findings')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await find(page, 'warehouse')
  await expect(palette.getByRole('menuitem', { name: /warehouse-forecaster/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(palette).toHaveCount(0)
  await find(page, 'freeze…')
  await expect(palette.getByRole('menuitem')).toHaveCount(1)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Freeze agents?' })).toBeVisible()
})

test('Ctrl K takes what is typed before its code is loaded, and highlights the name that starts with it', async ({
  page,
  organization,
}) => {
  const { api, environments } = organization
  for (const name of ['warehouse-forecaster', 'old-warehouse'])
    await api.call('createAgent', { body: { name, environment_id: environments.production } })
  const code = Promise.withResolvers<void>()
  await page.route(/palette.*[.]js$/, async (route) => {
    await code.promise
    await route.continue()
  })
  await signIn(page, organization.email)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('warehouse')
  code.resolve()
  const palette = page.getByRole('dialog', { name: 'Find' })
  await expect(palette.getByRole('searchbox')).toHaveValue('warehouse')
  const first = palette.getByRole('menuitem').first()
  await expect(first).toContainText('warehouse-forecaster')
  await expect(first).toHaveAttribute('data-focused', 'true')
})

test('Ctrl K suspends an agent, and then shows the reach', async ({ page, organization }) => {
  const { api, environments } = organization
  const { agent } = await api.call('createAgent', {
    body: { name: 'warehouse-forecaster', environment_id: environments.production },
  })
  await signIn(page, organization.email)
  await find(page, 'suspend')
  await expect(page.getByRole('dialog', { name: 'Find' }).getByRole('menuitem')).toHaveCount(1)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Suspend an agent?' })
  await dialog.getByLabel('Agent').fill('warehouse')
  await page.getByRole('option', { name: 'warehouse-forecaster' }).click()
  await dialog.getByRole('button', { name: 'Suspend' }).click()
  const done = page.getByRole('dialog', { name: 'warehouse-forecaster is suspended' })
  await expect(done.getByRole('status')).toHaveText(/No edge runs this agent|confirmed/)
  const { status } = await api.call('getAgent', { path: { agent_id: agent.id } })
  expect(status).toBe('suspended')
})

test('Ctrl K freezes an agent or an environment that the text names', async ({ page, organization }) => {
  const { api, environments } = organization
  for (const name of ['reader', 'reader-2'])
    await api.call('createAgent', { body: { name, environment_id: environments.production } })
  await signIn(page, organization.email)
  const hits = page.getByRole('dialog', { name: 'Find' }).getByRole('menuitem')
  await find(page, 'Freeze reader')
  await expect(hits).toHaveText([/^Freeze reader…/, /^Freeze reader-2…/])
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Freeze agents?' })
  await expect(dialog.getByLabel('Agent')).toHaveValue('reader')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await find(page, 'freeze devel')
  await expect(hits).toHaveText([/^Freeze Development….*All agents of the environment/])
  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('Environment')).toHaveValue(environments.development)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await find(page, 'suspend reader-2')
  await expect(hits).toHaveText([/^Suspend reader-2…/])
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Suspend reader-2?' })).toBeVisible()
  // The open dialog is no obstacle, and the next one is for the other agent.
  await find(page, 'suspend reader')
  await expect(hits).toHaveText([/^Suspend reader…/, /^Suspend reader-2…/])
  await page.keyboard.press('Enter')
  const other = page.getByRole('dialog', { name: 'Suspend reader?' })
  await other.getByRole('button', { name: 'Suspend' }).click()
  await expect(page.getByRole('dialog', { name: 'reader is suspended' })).toBeVisible()
  const query = { search: 'reader', sort: 'name', governance_state: 'discovered' } as const
  const { data: agents } = await api.call('listAgents', { query })
  expect(agents.map(({ status }) => status)).toEqual(['suspended', 'registered'])
})

test('the palette says why an action is not possible', { tag: '@long' }, async ({ page, organization }) => {
  const kofi = await addPerson(organization, { role: 'viewer', name: 'Kofi Brandal' })
  await signIn(page, kofi.email)
  await find(page, 'freeze…')
  await expect(page.getByRole('menuitem', { name: /^Freeze…/ })).toContainText(/manager/)
  await page.getByRole('searchbox').fill('freeze prod')
  await expect(page.getByRole('menuitem', { name: /^Freeze Production…/ })).toContainText(/manager/)
})

for (const { text, page: name } of [
  { text: 'reports', page: 'Reports' },
  { text: 'audit', page: 'Audit trail' },
])
  test(`Enter opens the first hit of “${text}”, also after text was deleted`, { tag: '@long' }, async ({
    page,
    organization,
  }) => {
    const { api, environments } = organization
    // The first letter finds agents, which later letters remove again.
    for (const agent of ['release-notes', 'archiver'])
      await api.call('createAgent', { body: { name: agent, environment_id: environments.production } })
    await signIn(page, organization.email)
    const palette = page.getByRole('dialog', { name: 'Find' })
    const field = palette.getByRole('searchbox')
    const first = palette.getByRole('menuitem').first()
    await page.keyboard.press('Control+k')
    await expect(field).toBeFocused()
    await field.pressSequentially(text, { delay: 150 })
    await expect(palette.getByRole('menuitem', { name: /release-notes|archiver/ })).toHaveCount(0)
    await expect(first).toHaveAttribute('data-focused', 'true')
    await expect(field).toHaveAttribute('aria-activedescendant', (await first.getAttribute('id')) as string)
    await page.keyboard.type('#')
    await expect(page.getByText('Nothing has this name.')).toBeVisible()
    await expect(field).toHaveAttribute('aria-activedescendant', '')
    await page.keyboard.press('Backspace')
    await expect(first).toHaveAttribute('data-focused', 'true')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)
  })

test('an unknown name finds nothing, and says so', { tag: '@long' }, async ({ page, organization }) => {
  await signIn(page, organization.email)
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByRole('searchbox').fill('no such thing')
  await expect(page.getByText('Nothing has this name.')).toBeVisible()
})
