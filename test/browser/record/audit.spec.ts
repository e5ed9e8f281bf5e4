import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { addPerson } from '../people.ts'
import { expect, signIn, test } from '../tenant.ts'

/** Exports the entries of a choice, after the dialog has said what they are. */
async function exported(page: Page, choice: string, says: RegExp) {
  await page.getByRole('button', { name: 'Export' }).click()
  const dialog = page.getByRole('dialog', { name: 'Export the audit trail' })
  await dialog.getByLabel('Entries').selectOption(choice)
  await expect(dialog.getByText(says)).toBeVisible()
  const waiting = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save the file' }).click()
  const download = await waiting
  await expect(dialog).toBeHidden()
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
  const events: string[] = lines.map((line) => JSON.parse(line).event_type).filter(Boolean)
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
  await page.getByRole('button', { name: /^Raw form of entry .*, edge\.created$/ }).click()
  await expect(page.getByText('"event_type": "edge.created"')).toBeVisible()
  await expect(page.getByText('Not verified yet')).toBeVisible()
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByRole('region', { name: 'Proof' }).getByText('Intact')).toBeVisible({ timeout: 60_000 })
  await expect(page.getByRole('region', { name: 'Proof' })).toContainText('by Mara Lindqvist')
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
    page.getByText(/^Entr.+ hidden: the filters leave them out, or reports of edges are only in the tab All/),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Clear Event' }).click()
  await expect(page.getByText('created the organization')).toBeVisible()
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
})
