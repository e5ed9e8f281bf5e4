import type { Locator, Page } from '@playwright/test'
import { addScene } from '../agents-of-tests.ts'
import { newFleet } from '../fleet.ts'
import { addPerson } from '../people.ts'
import { usePlan } from '../plan.ts'
import { closeDialog, expect, type Organization, serverUrl, signIn, test } from '../tenant.ts'

async function chooseMore(page: Page, action: string): Promise<Locator> {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
  return page.getByRole('dialog')
}

const raceOf = (dialog: Locator) => dialog.getByRole('region', { name: 'Somebody else changed the same fields' })

test('two people who change the same fields of an agent see both values, and no change is lost', async ({
  page,
  organization,
}) => {
  const { api } = organization
  const { agent } = await addScene(organization)
  const path = { agent_id: agent.id }
  await signIn(page, organization.email, `/agents/${agent.id}`)
  const dialog = await chooseMore(page, 'Edit…')
  const tools = dialog.getByLabel('Tools, one in each line')
  await tools.fill('mcp:crm/get-customer')
  await dialog.getByLabel('Model', { exact: true }).fill('Mine')
  await api.call('updateAgent', { path, body: { tools: ['mcp:mail/read'], description: 'Theirs' } })
  await expect(raceOf(dialog)).toContainText('mcp:mail/read')
  await expect(raceOf(dialog)).toContainText('mcp:crm/get-customer')
  const save = dialog.getByRole('button', { name: 'Save' })
  await expect(save).toHaveAttribute('aria-disabled', 'true')
  await raceOf(dialog).getByRole('button', { name: 'Take theirs' }).click()
  await expect(raceOf(dialog)).toHaveCount(0)
  await expect(tools).toHaveValue('mcp:mail/read')
  await expect(dialog.getByLabel('Description')).toHaveValue('Theirs')
  await tools.fill('mcp:mail/read\nmcp:crm/get-customer')
  await closeDialog(dialog, 'Save')
  expect(await api.call('getAgent', { path })).toMatchObject({
    model: 'Mine',
    description: 'Theirs',
    tools: ['mcp:mail/read', 'mcp:crm/get-customer'],
  })
  await chooseMore(page, 'Edit…')
  await api.call('archiveAgent', { path })
  await expect(dialog.getByText('The agent was archived while you edited')).toBeVisible()
})

async function addTool(organization: Organization) {
  const fleet = await newFleet(serverUrl(), organization)
  await fleet.reportTools('mail', [{ name: 'send', description: 'Sends mail.', input_schema: { type: 'object' } }])
  const { data } = await organization.api.call('listTools')
  return { tool_id: data[0]?.id as string }
}

test('labels that somebody else changed just before the save are not overwritten', async ({ page, organization }) => {
  const { api } = organization
  const path = await addTool(organization)
  const { raw_key: key } = await api.call('createApiKey', { body: { name: 'labels', scopes: ['tools:write'] } })
  await signIn(page, organization.email, `/tools/${path.tool_id}`)
  const dialog = await chooseMore(page, 'Labels…')
  await dialog.getByLabel('Other labels').fill('mine')
  const save = dialog.getByRole('button', { name: 'Save labels' })
  // The page has not read the other change when the person presses.
  await save.evaluate(
    async (button: HTMLElement, { id, key }) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ labels: ['theirs'] })
      await fetch(`/api/v1/tools/${id}/labels`, { method: 'PUT', headers, body })
      button.click()
    },
    { id: path.tool_id, key },
  )
  await expect(raceOf(dialog)).toContainText('theirs')
  expect((await api.call('getTool', { path })).labels).toEqual(['theirs'])
  await raceOf(dialog).getByRole('button', { name: 'Keep my values' }).click()
  await closeDialog(dialog, 'Save labels')
  const { labels } = await api.call('getTool', { path })
  expect(labels).toContain('mine')
  expect(labels).not.toContain('theirs')
})

test('words that somebody else added to a pattern are not overwritten', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { api } = organization
  await usePlan(organization, 'pro')
  const { id } = await api.call('createContentPattern', {
    body: { name: 'Code words', group: 'internal', kind: 'words', words: ['aurora'] },
  })
  await signIn(page, organization.email, '/content-patterns')
  await page.getByRole('button', { name: 'Edit Code words' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change Code words' })
  await dialog.getByLabel('Words').fill('aurora\nborealis')
  await api.call('updateContentPattern', { path: { pattern_id: id }, body: { words: ['aurora', 'zenith'] } })
  const save = dialog.getByRole('button', { name: 'Save' })
  // The event about the other change may already have disabled the button.
  await save.click({ force: true })
  await expect(raceOf(dialog)).toContainText('zenith')
  await raceOf(dialog).getByRole('button', { name: 'Take theirs' }).click()
  await expect(dialog.getByLabel('Words')).toHaveValue('aurora\nzenith')
  await dialog.getByLabel('Words').fill('aurora\nzenith\nborealis')
  await closeDialog(dialog, 'Save')
  const { data } = await api.call('listContentPatterns')
  expect(data.find((pattern) => pattern.id === id)?.words).toEqual(['aurora', 'zenith', 'borealis'])
  await page.getByRole('button', { name: 'Edit Code words' }).click()
  await dialog.getByLabel('Words').fill('aurora')
  await api.call('updateContentPattern', {
    path: { pattern_id: id },
    body: { kind: 'regex', expression: 'aurora|zenith' },
  })
  await save.click({ force: true })
  await expect(raceOf(dialog)).toContainText('Regular expression')
  await raceOf(dialog).getByRole('button', { name: 'Keep my values' }).click()
  await closeDialog(dialog, 'Save')
  const { data: kept } = await api.call('listContentPatterns')
  expect(kept.find((pattern) => pattern.id === id)).toMatchObject({ kind: 'words', words: ['aurora'] })
})

test('a policy that somebody saved after the question is neither deleted nor restored over', async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^412 /)
  const { api } = organization
  const { id } = await api.call('createPolicy', { body: { name: 'Guard' } })
  const path = { policy_id: id }
  const save = (description: string) => api.call('updatePolicy', { path, body: { description } })
  await signIn(page, organization.email, `/policies/${id}`)
  await page.getByRole('button', { name: 'Delete policy…' }).click()
  const question = page.getByRole('dialog', { name: 'Delete the policy Guard?' })
  await expect(question).toContainText('Its 1\u00a0version is deleted')
  await save('Second')
  await expect(page.getByRole('button', { name: 'Save version 3' })).toBeAttached()
  await question.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(question.getByRole('alert')).toContainText('version')
  await closeDialog(question, 'Cancel')
  await page.goto(`/policies/${id}?tab=versions&version=1`)
  await page.getByRole('button', { name: 'Restore' }).click()
  const restore = page.getByRole('dialog', { name: 'Restore version 1?' })
  await expect(restore.getByRole('region', { name: 'What the restore changes' })).toContainText('Second')
  await save('Third')
  await expect(page.getByText('version 3').first()).toBeAttached()
  await restore.getByRole('button', { name: 'Restore' }).click()
  await expect(restore.getByRole('alert')).toContainText('version')
  expect(await api.call('getPolicy', { path })).toMatchObject({ version: 3, description: 'Third' })
})

test('a save whose read fails says so, and keeps the dialog while it reads', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^500 GET .*agents/)
  const { agent } = await addScene(organization)
  await signIn(page, organization.email, `/agents/${agent.id}`)
  const dialog = await chooseMore(page, 'Edit…')
  await dialog.getByLabel('Name', { exact: true }).fill('support-desk')
  const isAnswered = Promise.withResolvers<void>()
  await page.route(`**/api/v1/agents/${agent.id}?*`, async (route) => {
    await isAnswered.promise
    await route.fulfill({ status: 500 })
  })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toHaveAttribute('aria-busy', 'true')
  isAnswered.resolve()
  await expect(dialog.getByRole('alert')).toContainText('status 500')
  await page.unrouteAll()
  await closeDialog(dialog, 'Save')
})

test('the own save is not shown as a change by somebody else', { tag: '@long' }, async ({ page, organization }) => {
  const path = await addTool(organization)
  await signIn(page, organization.email, `/tools/${path.tool_id}`)
  const dialog = await chooseMore(page, 'Labels…')
  await dialog.getByLabel('Other labels').fill('zeta, alpha')
  // The dialog stays open until the page has read everything again.
  const isRead = Promise.withResolvers<void>()
  await page.route('**/reach*', async (route) => {
    await isRead.promise
    await route.continue()
  })
  await dialog.getByRole('button', { name: 'Save labels' }).click()
  await expect(page.locator('main').getByText(/^alpha, .*zeta$/)).toBeAttached()
  expect(await raceOf(dialog).count()).toBe(0)
  isRead.resolve()
  await expect(dialog).toHaveCount(0)
})

test('fields that nobody typed in follow the change of somebody else', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { api } = organization
  const path = await addTool(organization)
  await signIn(page, organization.email, `/tools/${path.tool_id}`)
  const dialog = await chooseMore(page, 'Labels…')
  await dialog.getByRole('checkbox', { name: 'destructive' }).press(' ')
  await dialog.getByRole('checkbox', { name: 'destructive' }).press(' ')
  await api.call('labelTool', { path, body: { labels: ['theirs'] } })
  await expect(dialog.getByLabel('Other labels')).toHaveValue('theirs')
  await expect(raceOf(dialog)).toHaveCount(0)
  await closeDialog(dialog, 'Save labels')
  expect((await api.call('getTool', { path })).labels).toEqual(['theirs'])
})

test('the owner that somebody else chose just before the save has a name', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { api } = organization
  const { agent } = await addScene(organization)
  await addPerson(organization, { role: 'member', name: 'Mina Aalto' })
  const ines = await addPerson(organization, { role: 'member', name: 'Ines Varmaux' })
  const { raw_key: key } = await api.call('createApiKey', { body: { name: 'owners', scopes: ['agents:write'] } })
  // Without events, only the save reads the agent again.
  await page.route('**/events/stream*', () => {})
  await signIn(page, organization.email, `/agents/${agent.id}`)
  const dialog = await chooseMore(page, 'Edit…')
  await dialog.getByLabel('Owner, who answers for the agent').fill('mina')
  await page.getByRole('option', { name: 'Mina Aalto' }).click()
  await dialog.getByRole('button', { name: 'Save' }).evaluate(
    async (button: HTMLElement, { id, owner_user_id, key }) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      await fetch(`/api/v1/agents/${id}`, { method: 'PUT', headers, body: JSON.stringify({ owner_user_id }) })
      button.click()
    },
    { id: agent.id, owner_user_id: ines.id, key },
  )
  await expect(raceOf(dialog)).toContainText('Mina Aalto')
  expect(await raceOf(dialog).innerText()).toContain('Ines Varmaux')
})
