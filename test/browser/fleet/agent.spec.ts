import type { Client } from '@mandate/sdk'
import { addScene, type Scene } from '../agents-of-tests.ts'
import { newFleet } from '../fleet.ts'
import { addPerson } from '../people.ts'
import { closeDialog, expect, serverUrl, signIn, test } from '../tenant.ts'

/** Reports with a heartbeat that a version runs. */
async function report({ agent, policy, edge }: Scene, api: Client, { version, seq }: { version: number; seq: number }) {
  const { content_hash } = await api.call('getPolicyVersion', { path: { policy_id: policy.id, version } })
  await edge.call('sendHeartbeat', {
    body: {
      instance_id: 'hall-3-a',
      seq,
      edge_version: '1.8.2',
      agents: [{ agent_id: agent.id, policy_id: policy.id, policy_version: version, policy_hash: content_hash }],
    },
  })
}

test('an owner sees drift begin, with what differs, and suspends the agent', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  // Screen readers hear the sentence at most every 30 seconds, and the test waits for it twice.
  test.setTimeout(240_000)
  const { api } = organization
  const scene = await addScene(organization, {
    name: 'warehouse-forecaster',
    rules: [{ name: 'Stock', priority: 10, effect: 'deny', match: { tools: ['mcp:wms/write-stock'] } }],
  })
  const { agent, policy } = scene
  await report(scene, api, { version: 1, seq: 1 })
  const { data: reviews } = await api.call('listReviews', { query: { agent_id: agent.id } })
  for (const { id } of reviews)
    await api.call('resolveReview', { path: { review_id: id }, body: { outcome: 'approved', comment: 'Read only' } })
  await signIn(page, organization.email, `/agents/${agent.id}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('warehouse-forecaster')
  await expect(page.getByText('It runs version 1 of Policy of warehouse-forecaster, as approved.')).toBeVisible()
  const rule_id = policy.rules[0]?.id as string
  await api.call('updateRule', { path: { policy_id: policy.id, rule_id }, body: { effect: 'allow' } })
  await report(scene, api, { version: 2, seq: 2 })
  const sentence = page
    .getByRole('paragraph')
    .filter({ hasText: /^It runs version 2 .*\. People approved version 1\./ })
  await expect(sentence).toContainText('The difference may allow more than people approved.')
  await expect(sentence.getByRole('link', { name: 'version 2' })).toHaveAttribute('href', /\?tab=versions&version=2$/)
  const comparison = page.getByRole('region', { name: 'Approved and running' })
  await expect(comparison.getByText('Rule Stock changed')).toBeVisible()
  await expect(comparison.getByText('Loosens', { exact: true })).toBeVisible()
  await expect(comparison.getByRole('link', { name: 'Restore version 1' })).toHaveAttribute('href', /version=1$/)
  // New events wait behind a button, so that nothing moves under the pointer.
  await page.getByRole('button', { name: /^\d+ new event/ }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Drift began' })).toBeVisible()
  await page.getByRole('button', { name: 'Suspend' }).click()
  await page
    .getByRole('dialog', { name: 'Suspend warehouse-forecaster?' })
    .getByRole('button', { name: 'Suspend' })
    .click()
  const reach = page.getByRole('dialog', { name: 'warehouse-forecaster is suspended' })
  await expect(reach.getByRole('status')).not.toBeEmpty()
  await closeDialog(reach, 'Close')
  await expect(page.getByText('It is suspended: every call is denied')).toBeVisible()
  // Screen readers hear the sentence that is shown, and never the old one.
  const announced = page.getByRole('status').filter({ hasText: /^It (?:is suspended|runs)/ })
  await expect(announced).toHaveText('It is suspended: every call is denied', { timeout: 60_000 })
  expect((await api.call('getAgent', { path: { agent_id: agent.id } })).status).toBe('suspended')
  await page.getByRole('button', { name: 'Resume' }).click()
  await closeDialog(page.getByRole('dialog'), 'Resume')
  await expect(page.getByText('It is suspended: every call is denied')).toHaveCount(0)
  await expect(announced).toHaveText(/^It runs version 2 .*\. People approved version 1/, { timeout: 60_000 })
})

test('a viewer reads the drift of an agent, and why they cannot restore the approved version', async ({
  page,
  organization,
}) => {
  const { api } = organization
  const scene = await addScene(organization, {
    name: 'stock-writer',
    rules: [{ name: 'Stock', priority: 10, effect: 'deny', match: { tools: ['mcp:wms/write-stock'] } }],
  })
  const { agent, policy } = scene
  const { data: reviews } = await api.call('listReviews', { query: { agent_id: agent.id } })
  for (const { id } of reviews)
    await api.call('resolveReview', { path: { review_id: id }, body: { outcome: 'approved', comment: 'Read only' } })
  await api.call('updatePolicy', { path: { policy_id: policy.id }, body: { description: 'Stock.' } })
  await report(scene, api, { version: 2, seq: 1 })
  const viewer = await addPerson(organization, { role: 'viewer', name: 'Jonas Adeholt' })
  await signIn(page, viewer.email, `/agents/${agent.id}`)
  const comparison = page.getByRole('region', { name: 'Approved and running' })
  const restore = comparison.getByRole('button', { name: 'Restore version 1' })
  await expect(restore).toHaveAttribute('aria-disabled', 'true')
  await expect(restore).toHaveAccessibleDescription(/manager/)
  await expect(comparison.getByRole('link', { name: policy.name }).first()).toHaveAttribute('href', /version=\d$/)
  const saved = page.getByRole('listitem').filter({ hasText: `saved version 2 of “${policy.name}”` })
  await expect(saved.getByRole('link', { name: 'What changed' })).toHaveAttribute('href', /version=2$/)
})

test('a save of a rule says that a running agent gets a version that nobody has approved', async ({
  page,
  organization,
}) => {
  const { api } = organization
  const scene = await addScene(organization, {
    name: 'stock-reader',
    rules: [
      {
        name: 'Stock',
        priority: 10,
        effect: 'allow',
        reason: 'Stock is public',
        match: { tools: ['mcp:wms/read-stock'] },
      },
    ],
  })
  const { agent, policy } = scene
  await report(scene, api, { version: 1, seq: 1 })
  const { data: reviews } = await api.call('listReviews', { query: { agent_id: agent.id } })
  for (const { id } of reviews)
    await api.call('resolveReview', { path: { review_id: id }, body: { outcome: 'approved', comment: 'Read only' } })
  const rule_id = policy.rules[0]?.id as string
  await signIn(page, organization.email, `/policies/${policy.id}?rule=${rule_id}`)
  const note = page.getByText('The reason was written for another effect.')
  await expect(page.getByLabel('Reason')).toHaveValue('Stock is public')
  await expect(note).toHaveCount(0)
  await page.getByLabel('Effect', { exact: true }).selectOption('deny')
  await expect(note).toBeVisible()
  await page.getByLabel('Reason').fill('Stock is secret')
  await expect(note).toHaveCount(0)
  await page.getByRole('button', { name: 'Save version 2' }).click()
  const saved = page.getByRole('status').filter({ hasText: 'saved and in force' })
  await expect(saved).toContainText(/1.running agent gets it without an approval, until a review approves it\./)
  await saved.getByRole('link', { name: 'Open the reviews' }).click()
  await expect(page).toHaveURL(/\/reviews\?status=pending/)
})

test('an owner replaces the key, which is shown once, and archives the agent', async ({ page, organization }) => {
  const { agent } = await addScene(organization)
  await signIn(page, organization.email, '/agents')
  await page.getByRole('link', { name: agent.name }).click()
  // The list has a button with this name too.
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(agent.name)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Rotate key…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click()
  const secret = page.getByRole('dialog', { name: 'The new key of support-triage' })
  await expect(secret.getByText(/^ak_[0-9a-f]{64}$/)).toBeVisible()
  await page.goBack()
  await expect(secret.getByText('You have not copied the agent key.')).toBeVisible()
  await secret.getByRole('button', { name: 'Stay' }).click()
  await page.keyboard.press('Escape')
  await closeDialog(secret, 'Leave without it')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Archive…' }).click()
  const archive = page.getByRole('dialog', { name: 'Archive support-triage?' })
  await expect(archive.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await closeDialog(archive, 'Archive')
  await expect(page.getByText('It is archived: every call is denied. No edge')).toBeVisible()
})

test('an owner assigns another policy, and sees before which calls of the agent it would decide in another way', async ({
  page,
  organization,
}) => {
  const { api, environments } = organization
  const { agent, policy, edge, call } = await newFleet(serverUrl(), organization)
  const { agent: neighbour } = await api.call('createAgent', {
    body: { name: 'invoice-matcher', environment_id: environments.production, policy_id: policy.id },
  })
  const reads = { tool: 'mcp:mail/read', rule_id: policy.rules[3]?.id }
  await edge.record(call(reads), call(reads), call({ ...reads, agent_id: neighbour.id }))
  const other = await api.call('createPolicy', {
    body: { name: 'Nothing at all', default_effect: 'deny', override_mode: 'enforce' },
  })
  await signIn(page, organization.email, `/agents/${agent.id}`)
  await expect(page.getByText('Nobody is responsible')).toBeVisible()
  await page.getByRole('button', { name: 'Assign policy' }).click()
  const dialog = page.getByRole('dialog', { name: 'Assign a policy to support-triage?' })
  await dialog.getByLabel('Policy').selectOption(other.id)
  const impact = dialog.getByRole('region', { name: 'Impact on this agent' })
  await expect(impact.getByText(/This tightens\. Of 2.recorded decisions .* 2.would be denied\./)).toBeVisible()
  await expect(impact.getByRole('row', { name: /^mcp:mail\/read/ }).getByRole('link')).toHaveAttribute(
    'href',
    new RegExp(`agent_id=${agent.id}`),
  )
  await closeDialog(dialog, 'Assign policy')
  expect((await organization.api.call('getAgent', { path: { agent_id: agent.id } })).policy?.id).toBe(other.id)
})

test('the reach says by which version it is, and shows the running one where another is assigned', async ({
  page,
  organization,
}) => {
  const { api } = organization
  const scene = await addScene(organization)
  const { agent, policy, edge } = scene
  await edge.call('reportTools', { body: { server: 'mail', tools: [{ name: 'read' }] } })
  await report(scene, api, { version: 1, seq: 1 })
  await api.call('updatePolicy', { path: { policy_id: policy.id }, body: { default_effect: 'allow' } })
  await signIn(page, organization.email, `/agents/${agent.id}?tab=reach`)
  const tools = page.getByRole('region', { name: 'Tools of the environment by what the agent may do with them' })
  const row = tools.getByRole('row', { name: /mcp:mail\/read/ })
  await expect(row).toContainText('Allow')
  await expect(page.getByText(`An edge runs version 1 of ${policy.name}. Version 2 is assigned.`)).toBeVisible()
  await expect(page.getByText(`by version 2 of ${policy.name}, assigned`)).toHaveCount(2)
  await page.getByRole('navigation', { name: 'Policy of the reach' }).getByRole('link', { name: 'Running' }).click()
  await expect(row).toContainText('Deny')
  await expect(page).toHaveURL(/policy=running/)
  await expect(page.getByText(`by version 1 of ${policy.name}, running`)).toHaveCount(2)
})

test('a viewer reads why an agent cannot be suspended', { tag: '@long' }, async ({ page, organization }) => {
  const { agent } = await addScene(organization)
  const { email } = await addPerson(organization, { role: 'viewer', name: 'Kofi Brandal' })
  await signIn(page, email, `/agents/${agent.id}?tab=coverage`)
  await expect(page.getByText('The runtime has claimed nothing')).toBeVisible()
  const suspend = page.getByRole('button', { name: 'Suspend' })
  await expect(suspend).toHaveAttribute('aria-disabled', 'true')
  await expect(suspend).toHaveAccessibleDescription(/manager/)
})

test('an unknown agent is read once and leads back to the list', async ({ page, organization, expectedFaults }) => {
  expectedFaults.push(/^40[04] GET /)
  const id = '0191b1ab-7d4c-7c55-8f35-1f0f4a6f8e2c'
  const reads: string[] = []
  page.on('request', (request) => request.url().includes(`/api/v1/agents/${id}`) && reads.push(request.url()))
  await signIn(page, organization.email, `/agents/${id}`)
  await expect(page.getByText('There is no such agent, or you may not see it.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'All agents' })).toBeVisible()
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  const followed = page.waitForResponse(/\/api\/v1\/overview/)
  await addScene(organization)
  await followed
  expect(reads).toHaveLength(1)
  await page.goto(`/agents/${id}x`)
  await expect(page.getByText('There is no such agent, or you may not see it.')).toBeVisible()
})

test('the page of another agent begins without the dialog of the one before, and takes the focus', {
  tag: '@long',
}, async ({ page, organization }) => {
  const environment_id = organization.environments.production
  const make = async (name: string) =>
    (await organization.api.call('createAgent', { body: { name, environment_id } })).agent
  const [first, second] = [await make('invoice-matcher'), await make('price-watcher')]
  const heading = page.getByRole('heading', { level: 1 })
  await signIn(page, organization.email, `/agents/${first.id}`)
  await expect(heading).toHaveText('invoice-matcher')
  await page.evaluate((to) => history.pushState(null, '', to), `/agents/${second.id}`)
  await expect(heading).toHaveText('price-watcher')
  await expect(heading).toBeFocused()
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Archive…' }).click()
  await expect(page.getByRole('dialog', { name: 'Archive price-watcher?' })).toBeVisible()
  await page.goBack()
  await expect(heading).toHaveText('invoice-matcher')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(heading).toBeFocused()
})
