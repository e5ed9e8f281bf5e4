// Long: it opens every page with four kinds of names, in two widths.
import { apiKey, type Client, createClient, type Schema } from '@mandate/sdk'
import type { Page } from '@playwright/test'
import { holdCall } from '../agents-of-tests.ts'
import { addPerson } from '../people.ts'
import { closeDialog, expect, type Organization, serverUrl, signIn, test } from '../tenant.ts'

const names = {
  long: 'W'.repeat(200),
  rightToLeft: 'مراقب الفواتير والمدفوعات',
  hidden: 'refund\u202eevorppa\u200b',
  markup: '<img src="x" onerror="document.body.dataset.run=1"> "><script>document.body.dataset.run=1</script>',
}

/** Gives objects of all kinds the name. Returns the pages that show them. */
async function fillWith(organization: Organization, name: string): Promise<string[]> {
  const { api, environments } = organization
  const environment_id = environments.development
  const rule = { name, priority: 10, effect: 'require_approval' as const, match: { tools: ['mcp:stripe/refund'] } }
  const policy = await api.call('createPolicy', {
    body: { name, description: name, rules: [{ ...rule, reason: name }] },
  })
  const { agent, agent_key } = await api.call('createAgent', {
    body: { name, description: name, framework: name.slice(0, 100), environment_id, policy_id: policy.id },
  })
  const edgeOfAgent = createClient({ url: serverUrl(), credential: apiKey(agent_key) })
  await holdCall({ policy, agent, edge: edgeOfAgent, api }, { [name]: name, note: name })
  const { edge } = await api.call('createEdge', { body: { name, environment_id } })
  await runVersion1(organization, agent.id, edgeOfAgent, policy)
  const report = await api.call('createReport', { body: { title: name } })
  const of = { path: { agent_id: agent.id } }
  const review = await api.call('openReview', { ...of, body: { kind: 'attestation' } })
  const freeze = await api.call('createFreeze', {
    body: { scope: 'agent', agent_id: agent.id, reason: name, drill: true },
  })
  await api.call('createApiKey', { body: { name } })
  return [
    `/agents/${agent.id}`,
    `/policies/${policy.id}`,
    `/edges/${edge.id}`,
    `/reports/${report.id}`,
    `/reviews/${review.id}`,
    `/freezes/${freeze.id}`,
  ]
}

/** The agent runs the approved version 1 of its policy, and version 2 is assigned. */
async function runVersion1(
  { api }: Organization,
  agent_id: string,
  edge: Client,
  { id: policy_id }: Schema<'Policy'>,
): Promise<void> {
  const path = { policy_id }
  const { content_hash: policy_hash } = await api.call('getPolicyVersion', { path: { ...path, version: 1 } })
  const agents = [{ agent_id, policy_id, policy_version: 1, policy_hash }]
  await edge.call('sendHeartbeat', { body: { instance_id: 'hall-3-a', seq: 1, edge_version: '1.8.2', agents } })
  const { data: reviews } = await api.call('listReviews', { query: { agent_id } })
  for (const { id } of reviews)
    await api.call('resolveReview', { path: { review_id: id }, body: { outcome: 'approved', comment: 'Read only' } })
  await api.call('updatePolicy', { path, body: { default_effect: 'allow' } })
}

const lists = [
  ...['/agents', '/policies', '/approvals', '/reviews', '/findings', '/freezes', '/edges', '/environments'],
  ...['/team', '/keys', '/audit', '/reports', '/decisions', '/settings', '/'],
]

/** Opens a page without loading the dashboard again. */
async function openPage(page: Page, address: string): Promise<void> {
  const before = await page.title()
  await page.evaluate((to) => history.pushState({}, '', to), address)
  await expect.poll(() => page.title(), address).not.toBe(before)
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
}

const softly = expect.configure({ soft: true })

/** By how many pixels the page is wider than the window, and whether a text became markup. */
const faultsOf = (page: Page) =>
  page.evaluate(() => ({
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    run: document.body.dataset.run ?? 'no',
    images: document.querySelectorAll('main img').length,
  }))

test('names of any kind break no page', { tag: '@long' }, async ({ page, organization }) => {
  const { api } = organization
  const [long, , hidden, markup] = [
    await fillWith(organization, names.long),
    await fillWith(organization, names.rightToLeft),
    await fillWith(organization, names.hidden),
    await fillWith(organization, names.markup),
  ]
  const { id } = await addPerson(organization, { role: 'member', name: 'Kofi Brandal' })
  await api.call('updateUser', { path: { user_id: id }, body: { display_name: names.long } })
  await api.call('createEnvironment', { body: { name: names.long.slice(0, 100), slug: 'other', is_production: false } })
  await signIn(page, organization.email)
  // Two pages after each other never have the same title.
  const addresses = [...long, ...markup].flatMap((own, index) => [own, lists[index] ?? '/'])
  for (const address of [...addresses, ...lists.slice(addresses.length / 2)]) {
    await openPage(page, address)
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 })
      // A table scrolls inside its place from the next frame on.
      await softly.poll(() => faultsOf(page), `${address}, ${width}`).toEqual({ overflow: 0, run: 'no', images: 0 })
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  for (const address of [...lists, ...hidden, `${hidden[0]}?tab=reach`]) {
    await page.goto(address)
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    const shown = await page.locator('main').innerText()
    softly(/[\u202e\u200b]/.exec(shown), `${address} shows a name with hidden characters`).toBeNull()
  }
  await page.goto(hidden[0] as string)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^refundU\+202E \(right-to-left override\)/)
  await page.getByRole('button', { name: 'Suspend' }).click()
  await expect(page.getByRole('dialog').getByRole('heading')).toHaveText(/^Suspend refundU\+202E/)
})

test('an object whose name has hidden characters is confirmed by its visible characters', {
  tag: '@long',
}, async ({ page, organization: { api, email } }) => {
  await api.call('createEnvironment', { body: { name: 'hall\u200b', slug: 'hall-2', is_production: false } })
  await signIn(page, email, '/environments')
  await page
    .getByRole('row', { name: /^hall ?U\+200B/ })
    .getByRole('button', { name: /^More actions/ })
    .click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: /^Delete hall ?U\+200B/ })
  const remove = dialog.getByRole('button', { name: 'Delete' })
  await expect(remove).toHaveAccessibleDescription('Type hall first.')
  await dialog.getByLabel('Type hall to confirm').fill('hall')
  await expect(remove).not.toHaveAttribute('aria-disabled', 'true')
  await closeDialog(dialog, 'Delete')
  await expect(page.getByRole('row', { name: /^hall/ })).toHaveCount(0)
})
