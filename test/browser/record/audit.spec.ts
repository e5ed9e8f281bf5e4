import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import pg from 'pg'
import { connectEmbedded } from '../../../packages/embedded-postgres/src/connect-embedded.ts'
import { addPerson } from '../people.ts'
import { Shell } from '../shell.ts'
import { closeDialog, expect, serverUrl, signedIn, signIn, test } from '../tenant.ts'

/** Exports the entries of a choice, after the dialog has said what they are. */
async function exported(page: Page, choice: string, says: RegExp) {
  await page.getByRole('button', { name: 'Export' }).click()
  const dialog = page.getByRole('dialog', { name: 'Export the audit trail' })
  await dialog.getByLabel('Entries').selectOption(choice)
  await expect(dialog.getByText(says)).toBeVisible()
  const command = await dialog.getByText('npx mandate audit verify').innerText()
  const waiting = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save the file' }).click()
  const download = await waiting
  await expect(dialog).toBeHidden()
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
  const events: string[] = lines.map((line) => JSON.parse(line).event_type).filter(Boolean)
  expect(command).toContain(` ${download.suggestedFilename()} `)
  return { name: download.suggestedFilename(), events }
}

test('an owner reads the changes as sentences, with the raw form, and the proof of a verification', async ({
  page,
  organization,
}) => {
  const { api, environments } = organization
  await api.call('createEdge', { body: { name: 'hall-3-a', environment_id: environments.production } })
  await signIn(page, organization.email)
  await page.getByRole('link', { name: 'Audit trail' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Audit trail')
  await expect(page.getByRole('row', { name: /Mara Lindqvist created the edge hall-3-a in Production/ })).toBeVisible()
  await page.getByRole('button', { name: /^Details of entry .*, edge\.created$/ }).click()
  const details = page.getByRole('row').filter({ hasText: '"event_type"' })
  await expect(details.getByRole('definition').filter({ hasText: 'edge: hall-3-a' })).toBeVisible()
  await expect(details.getByRole('definition').filter({ hasText: /^Production$/ })).toBeVisible()
  await expect(page.getByText('"event_type": "edge.created"')).toBeVisible()
  await expect(page.getByText('Not verified yet')).toBeVisible()
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByRole('region', { name: 'Proof' }).getByText('Intact')).toBeVisible({ timeout: 60_000 })
  await expect(page.getByRole('region', { name: 'Proof' })).toContainText('by Mara Lindqvist')
})

/** Changes the details of an entry in the database, as its administrator can. */
async function tamper(tenantId: string, eventType: string): Promise<void> {
  const database = await connectEmbedded(process.env.MANDATE_BROWSER_DATA as string)
  if (!database) throw new Error('the database of the tests does not run')
  const client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
  const text = `update audit_entries set details = details || '{"gate":"off"}' where tenant_id = $1 and event_type = $2`
  expect((await client.query(text, [tenantId, eventType])).rowCount).toBe(1)
  await client.end()
}

test('the browser checks the entries itself, names the entry that was changed, and saves what it checked', async ({
  page,
  organization,
}) => {
  const { api, environments, id } = organization
  await api.call('createEdge', { body: { name: 'hall-3-a', environment_id: environments.production } })
  await api.call('createPolicy', { body: { name: 'Prices' } })
  await signIn(page, organization.email, '/audit?tab=all')
  const check = page.getByRole('button', { name: 'Check in this browser' })
  await check.click()
  const box = page.getByRole('region', { name: 'Check in this browser' })
  await expect(box.getByRole('status')).toHaveText(/^\d+.entries were checked, and all fit, through entry.\d+\.$/)
  await tamper(id, 'edge.created')
  await page.reload()
  await check.click()
  await expect(box.getByRole('status')).toHaveText(/^Entry.\d+ does not fit: its content is not the content that was/)
  await expect(box.getByText('created the edge hall-3-a')).toBeVisible()
  await box.getByRole('button', { name: 'Show the entry' }).click()
  await expect(page.getByRole('button', { name: /^Details of entry .*, edge\.created$/ })).toBeFocused()
  const waiting = page.waitForEvent('download')
  await box.getByRole('button', { name: 'Save what was checked' }).click()
  const download = await waiting
  expect(download.suggestedFilename()).toBe('audit-check.ndjson')
  const command = await box.getByText('npx mandate audit verify').innerText()
  const shell = await Shell.open()
  const { code, stdout } = await shell.run(command.replace('audit-check.ndjson', await download.path()))
  await shell.close()
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ valid: false, first_bad: { reason: 'entry_changed' } })
})

test('the filters are in the address, and the export has the same filters', async ({ page, organization }) => {
  const { api, environments } = organization
  const environment_id = environments.production
  await api.call('createEdge', { body: { name: 'hall-3-a', environment_id } })
  await api.call('createPolicy', { body: { name: 'Prices' } })
  await api.call('createEdge', { body: { name: 'hall-3-b', environment_id } })
  await signIn(page, organization.email, '/audit')
  await page.getByRole('button', { name: 'Event: any' }).click()
  await page.getByRole('menuitemradio', { name: 'edges' }).click()
  await expect(page).toHaveURL(/event_type=edge/)
  await expect(page.getByText('created the organization')).toBeHidden()
  await expect(page.getByText('created the edge')).toHaveCount(2)
  const list = await exported(page, 'Only the list on this page', /tab Governance Changes, Event edges/)
  expect(list.name).toBe('audit-list.ndjson')
  expect(list.events).toEqual(['edge.created', 'edge.created'])
  const trail = await exported(page, 'The whole audit trail', /Every entry of every tab/)
  expect(trail.name).toBe('audit.ndjson')
  expect(trail.events).toEqual(expect.arrayContaining(['tenant.created', 'edge.created']))
  await page.reload()
  await expect(page.getByText('created the edge')).toHaveCount(2)
  await expect(
    page.getByText(
      /^Entr.+ hidden: the filters leave them out, or what edges report about agents is only in the tab All/,
    ),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Clear Event' }).click()
  await expect(page.getByText('created the organization')).toBeVisible()
})

test('a removed person is in the filter Person, and the keys of the person are in the trail', async ({
  page,
  organization,
}) => {
  const { api } = organization
  const bob = await addPerson(organization, { role: 'manager', name: 'Bob Aasen' })
  await (await signedIn(bob.email)).call('createApiKey', { body: { name: 'nightly export', scopes: ['audit:read'] } })
  await api.call('removeUser', { path: { user_id: bob.id } })
  await signIn(page, organization.email, '/keys?state=revoked')
  await page.getByRole('main').getByRole('link', { name: 'audit trail' }).click()
  const sentence = page.getByRole('row', { name: /revoked the API key nightly export of Bob Aasen, by removing/ })
  await expect(sentence).toBeVisible()
  await page.getByRole('button', { name: 'Clear Event' }).click()
  await page
    .getByRole('row', { name: /Mara Lindqvist removed Bob Aasen/ })
    .getByRole('link', { name: 'Bob Aasen' })
    .click()
  await expect(page.getByRole('button', { name: 'Person: Bob Aasen (removed)' })).toBeVisible()
  await expect(page.getByRole('row', { name: /created the API key nightly export, scopes audit:read/ })).toBeVisible()
  await expect(page.getByText('created the organization')).toBeHidden()
  const chip = page.getByRole('button', { name: 'Person: Bob Aasen (removed)' })
  await chip.click()
  const find = page.getByRole('searchbox', { name: 'Name of the person' })
  await find.fill('mara')
  await expect(page.getByRole('menuitemradio')).toHaveText(['Mara Lindqvist'])
  await expect(page.locator('p.on-paper')).toHaveText('Entries with Person Bob Aasen (removed).')
  await page.mouse.click(5, 5)
  await chip.click()
  await expect(find).toHaveValue('')
  await expect(page.getByRole('menuitemradio')).toHaveText(['Mara Lindqvist', 'Bob Aasen (removed)'])
})

test('Enter in the filter Person chooses nobody of the text before, and the menu says if it cannot read the people', async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 GET .*\/users$/)
  const kofi = await addPerson(organization, { role: 'member', name: 'Kofi Brandal' })
  await signIn(page, organization.email, '/audit')
  await page.getByRole('button', { name: 'Person: any' }).click()
  const persons = page.getByRole('menuitemradio')
  await expect(persons).toHaveText(['Kofi Brandal', 'Mara Lindqvist'])
  const find = page.getByRole('searchbox', { name: 'Name of the person' })
  const answer = Promise.withResolvers<void>()
  await page.route('**/api/v1/users?*search=*', async (route) => {
    await answer.promise
    await route.continue()
  })
  await find.fill('nobody')
  await expect(page.getByText('The list is read.')).toBeVisible()
  await find.fill('mara')
  await expect(persons).toHaveText(['Mara Lindqvist'])
  answer.resolve()
  await find.fill('nobody')
  await expect(page.getByText('Nobody has this name.')).toBeVisible()
  await page.unroute('**/api/v1/users?*search=*')
  const refused = `${serverUrl()}/api/v1/users?search=%00`
  await page.route('**/api/v1/users?*search=petra*', (route) => route.continue({ url: refused }))
  await find.fill('petra')
  await expect(page.getByText('The list could not be read.')).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: 'search' })).toBeVisible()
  await find.fill('kofi')
  await expect(persons).toHaveText(['Kofi Brandal'])
  await find.press('Enter')
  await expect(page).toHaveURL(new RegExp(`actor_id=${kofi.id}`))
})

test('a period of two times is in the address and in the export', async ({ page, organization }) => {
  await organization.api.call('createPolicy', { body: { name: 'Prices' } })
  await signIn(page, organization.email, '/audit')
  await page.getByRole('button', { name: 'Period: any' }).click()
  await page.getByRole('menuitemradio', { name: 'from and to…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Which period?' })
  await dialog.getByLabel('From').fill('2020-01-01T00:00')
  await dialog.getByLabel('To').fill('2020-02-01T00:00')
  await closeDialog(dialog, 'Show')
  await expect(page).toHaveURL(/from=2019-12-31|from=2020-01-01/)
  await expect(page.getByText(/^No entry matches: Period 1 Jan/)).toBeVisible()
  await page.getByRole('button', { name: 'Period: 1 Jan' }).click()
  await page.getByRole('menuitemradio', { name: 'today' }).click()
  await expect(page).not.toHaveURL(/from=/)
  await expect(page.getByText('created the policy')).toBeVisible()
  const { events } = await exported(page, 'Only the list on this page', /Period today/)
  expect(events).toContain('policy.created')
})

test('the history of an agent says which entries are only in its timeline', async ({ page, organization }) => {
  const environment_id = organization.environments.development
  const { agent } = await organization.api.call('createAgent', { body: { name: 'price-watcher', environment_id } })
  const { id } = agent
  await signIn(page, organization.email, `/audit?agent_id=${id}`)
  await expect(page.getByText(/Not here: freezes of the agent’s environment and of the organization/)).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Timeline' }).click()
  await expect(page).toHaveURL(`/agents/${id}?tab=timeline`)
})

test('the history of a person names the person, and has what they did and what was done to them', async ({
  page,
  organization,
}) => {
  const kofi = await addPerson(organization, { role: 'member', name: 'Kofi Brandal' })
  const api = await signedIn(kofi.email)
  await api.call('createPolicy', { body: { name: 'Prices' } })
  await signIn(page, organization.email, '/team')
  await page.getByRole('button', { name: 'More actions for Kofi Brandal' }).click()
  await page.getByRole('link', { name: 'History' }).click()
  await expect(page.getByText(/invited .* as member/)).toBeVisible()
  await expect(page.getByText('created the policy')).toBeHidden()
  await expect(page.getByRole('button', { name: 'Object: Kofi Brandal' })).toBeVisible()
  const sides = page.getByRole('navigation', { name: 'History of the person' })
  await sides.getByRole('link', { name: 'What the person did' }).click()
  await expect(page.getByText('created the policy')).toBeVisible()
  await expect(page.getByText(/invited .* as member/)).toBeHidden()
  await sides.getByRole('link', { name: 'What was done to the person' }).click()
  await expect(page.getByText(/invited .* as member/)).toBeVisible()
})

test('new entries wait until the reader wants them', { tag: '@long' }, async ({ page, organization }) => {
  const { api, environments } = organization
  await signIn(page, organization.email, '/audit')
  await expect(page.getByText('created the organization')).toBeVisible()
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await api.call('createEdge', { body: { name: 'hall-3-a', environment_id: environments.production } })
  const show = page.getByRole('button', { name: /new entr/ })
  await expect(show).toBeVisible()
  await expect(page.getByText('created the edge')).toBeHidden()
  await show.click()
  await expect(page.getByText('created the edge')).toBeVisible()
})

test('a filter without a match names the filter and clears it', { tag: '@long' }, async ({ page, organization }) => {
  await signIn(page, organization.email, '/audit?event_type=platform.*')
  await expect(page.getByText('No entry matches: Event platforms.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await expect(page.getByText('created the organization')).toBeVisible()
  await page.getByRole('link', { name: 'All' }).click()
  await expect(page).toHaveURL(/tab=all/)
})

test('a member reads the entries of agents, and why the trail cannot be verified', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const ines = await addPerson(organization, { role: 'member', name: 'Ines Varmaux' })
  const environment_id = organization.environments.development
  await organization.api.call('createAgent', { body: { name: 'price-watcher', environment_id } })
  await signIn(page, ines.email, '/audit')
  await expect(page.getByText('registered')).toBeVisible()
  const verify = page.getByRole('button', { name: 'Verify' })
  await expect(verify).toHaveAttribute('aria-disabled', 'true')
  await expect(verify).toHaveAccessibleDescription(/manager/)
  await page.getByRole('button', { name: 'Check in this browser' }).click()
  await expect(page.getByText('Your export has no seals, so it proves nothing.')).toBeVisible()
  await expect(page.getByText('Only the exports of managers and owners have seals')).toBeVisible()
  await expect(page.getByText('npx mandate audit verify')).toHaveCount(0)
})
