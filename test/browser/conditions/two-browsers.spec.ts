import type { Browser, Page } from '@playwright/test'
import { findViolationsOfThemes } from '../accessibility.ts'
import { addScene, holdCall } from '../agents-of-tests.ts'
import { addPerson } from '../people.ts'
import { closeDialog, expect, type Organization, serverUrl, signIn, test } from '../tenant.ts'

/** Opens a second browser, in which another person is signed in. */
async function openAs(browser: Browser, email: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: serverUrl() })
  const page = await context.newPage()
  await signIn(page, email)
  return page
}

async function addManager(organization: Organization): Promise<string> {
  const { email } = await addPerson(organization, { role: 'manager', name: 'Ines Varmaux' })
  return email
}

/** Opens the question whether to approve the open call. */
async function askToApprove(page: Page) {
  await page.getByRole('article').getByRole('button', { name: 'Approve' }).click()
  return page.getByRole('dialog').getByRole('button', { name: 'Approve' })
}

test('an approval in one browser shows in the other', async ({ page, organization, browser }) => {
  const scene = { ...(await addScene(organization, { environment: 'development' })), api: organization.api }
  const { id } = await holdCall(scene, { amount: 48_900 })
  await signIn(page, organization.email)
  const other = await openAs(browser, await addManager(organization))
  for (const each of [page, other]) await each.goto(`/approvals?open=${id}`)
  await expect(page.getByRole('link', { name: 'Approvals 1' })).toBeVisible()
  await (await askToApprove(other)).click()
  await expect(other.getByText('Approved, not used').first()).toBeVisible()
  await expect(page.getByRole('article').getByText('Ines Varmaux decided first')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Approve' })).toHaveCount(0)
  await other.context().close()
})

test('of two people who decide at once, the second sees who was first', async ({
  page,
  organization,
  browser,
  expectedFaults,
}) => {
  expectedFaults.push(/^409 POST .*resolve$/)
  const scene = { ...(await addScene(organization, { environment: 'development' })), api: organization.api }
  const { id } = await holdCall(scene, { amount: 48_900 })
  await signIn(page, organization.email)
  const other = await openAs(browser, await addManager(organization))
  const confirms = []
  for (const each of [page, other]) {
    await each.goto(`/approvals?open=${id}`)
    confirms.push(await askToApprove(each))
  }
  await Promise.all(confirms.map((confirm) => confirm.click({ noWaitAfter: true })))
  const read = () => organization.api.call('getApproval', { path: { approval_id: id } })
  await expect.poll(async () => (await read()).status).toBe('approved')
  const { resolved_by } = await read()
  const { data } = await organization.api.call('listUsers')
  const isOwnerFirst = data.find(({ role }) => role === 'owner')?.id === resolved_by
  const [first, second] = isOwnerFirst ? [page, other] : [other, page]
  const winner = isOwnerFirst ? 'Mara Lindqvist' : 'Ines Varmaux'
  const question = second.getByRole('dialog')
  await expect(question.getByText(`${winner} decided the call meanwhile`)).toBeVisible()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(second.getByRole('article').getByText(`${winner} decided first`)).toBeVisible()
  expect(await findViolationsOfThemes(second)).toEqual([])
  await expect(first.getByRole('article').getByText('decided first')).toHaveCount(0)
  for (const each of [page, other]) await expect(each.getByRole('dialog')).toHaveCount(0)
  await other.context().close()
})

test('of two people who judge one review, the second sees who was first, and keeps the comment', async ({
  page,
  organization,
  browser,
}) => {
  const { agent } = await addScene(organization, { environment: 'development' })
  const { data: reviews } = await organization.api.call('listReviews', { query: { agent_id: agent.id } })
  const review_id = reviews[0]?.id as string
  // The owner requested the review, so two other people judge it.
  const mina = await addPerson(organization, { role: 'manager', name: 'Mina Aalto' })
  await signIn(page, mina.email)
  const other = await openAs(browser, await addManager(organization))
  for (const each of [page, other]) {
    await each.goto(`/reviews/${review_id}`)
    await each.getByRole('button', { name: 'Reject' }).click()
    await each
      .getByRole('dialog')
      .getByLabel('Comment')
      .fill(each === page ? 'Nobody owns it' : 'It reads too much')
  }
  await closeDialog(page.getByRole('dialog'), 'Reject')
  const question = other.getByRole('dialog')
  await expect(question.getByRole('alert').first()).toHaveText(
    'Mina Aalto judged the review meanwhile: Rejected. Your judgement does not count.',
  )
  await expect(question.getByLabel('Comment')).toHaveValue('It reads too much')
  await expect(question.getByRole('button', { name: 'Reject' })).toHaveAttribute('aria-disabled', 'true')
  expect(await findViolationsOfThemes(other)).toEqual([])
  await question.getByRole('button', { name: 'Cancel' }).click()
  await closeDialog(other.getByRole('dialog', { name: 'Leave without saving?' }), 'Discard the text')
  await expect(other.getByRole('region', { name: 'Review', exact: true }).getByText('Mina Aalto')).toBeVisible()
  for (const each of [page, other]) await expect(each.getByRole('dialog')).toHaveCount(0)
  await other.context().close()
})

test('a freeze in one browser shows in the other, and so does its end', async ({ page, organization, browser }) => {
  await addScene(organization)
  await signIn(page, organization.email, '/findings')
  const other = await openAs(browser, await addManager(organization))
  await other.getByRole('button', { name: 'Freeze…' }).click()
  const dialog = other.getByRole('dialog', { name: 'Freeze agents?' })
  await dialog.getByLabel('Scope').selectOption('All agents of an environment')
  await dialog.getByLabel('Environment').selectOption({ label: 'Production' })
  await dialog.getByLabel('Reason').fill('Stock writes, cause unknown')
  await closeDialog(dialog, 'Freeze')
  await expect(page.getByText('Production is frozen')).toBeVisible()
  await other.getByRole('button', { name: 'Lift the freeze' }).click()
  await other.getByRole('dialog').getByLabel('Reason').fill('The cause is fixed')
  await closeDialog(other.getByRole('dialog'), 'Lift the freeze')
  await expect(page.getByText('Production is frozen')).toHaveCount(0)
  await other.context().close()
})

test('a save that is refused because another was first shows both versions', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^412 PUT .*policies/)
  const { api } = organization
  const { policy } = await addScene(organization)
  const { raw_key: key } = await api.call('createApiKey', {
    body: { name: 'release-desk', scopes: ['policies:write'] },
  })
  await signIn(page, organization.email, `/policies/${policy.id}`)
  await page.getByRole('button', { name: 'Edit Refunds above 200 EUR' }).click()
  await page.getByLabel('Reason').fill('Mine')
  const save = page.getByRole('button', { name: 'Save version 2' })
  await expect(save).not.toHaveAttribute('aria-disabled')
  const refused = page.waitForResponse((response) => response.status() === 412)
  // The person presses before the event about the other save can arrive.
  await save.evaluate(
    async (button: HTMLElement, { id, ruleId, key }) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ reason: 'Theirs' })
      await fetch(`/api/v1/policies/${id}/rules/${ruleId}`, { method: 'PUT', headers, body })
      button.click()
    },
    { id: policy.id, ruleId: policy.rules[0]?.id, key },
  )
  await refused
  const race = page.getByRole('region', { name: 'Another version was saved' })
  await expect(race.getByText(/Version 2 was saved by Mara Lindqvist/)).toBeVisible()
  await expect(race.getByText(/Theirs/)).toBeVisible()
  await expect(race.getByText(/Mine/)).toBeVisible()
  await race.getByRole('button', { name: 'Take version 2' }).click()
  await expect(page.getByLabel('Reason')).toHaveValue('Theirs')
})

test('an agent that another person archived says so, on its page and in an open dialog', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { agent } = await addScene(organization)
  await signIn(page, organization.email, `/agents/${agent.id}`)
  await page.getByRole('button', { name: 'Suspend' }).click()
  const dialog = page.getByRole('dialog', { name: 'Suspend support-triage?' })
  await organization.api.call('archiveAgent', { path: { agent_id: agent.id } })
  await expect(page.getByText(/It is archived: every call is denied/).first()).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Suspend' })).toHaveAttribute('aria-disabled', 'true')
  await expect(dialog.getByText(/archived/).first()).toBeVisible()
  await closeDialog(dialog, 'Cancel')
  await expect(page.getByRole('button', { name: 'Suspend' })).toHaveAttribute('aria-disabled', 'true')
})

test('what another person deleted or took out of sight stays readable, and says so', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^404 /)
  const { api } = organization
  const { agent } = await addScene(organization)
  const { id, email } = await addPerson(organization, { role: 'member', name: 'Ines Varmaux' })
  await signIn(page, email, `/agents/${agent.id}`)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Archive…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Archive support-triage?' })
  await api.call('setAccessScope', { path: { user_id: id }, body: { access_scope: 'scoped' } })
  await dialog.getByRole('button', { name: 'Archive' }).click()
  await expect(dialog.getByText('agent not found')).toBeVisible()
  await closeDialog(dialog, 'Cancel')
  await expect(page.getByText('This was deleted, or you may not see it any more.')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('support-triage')
})

test('a tab that takes over the stream of a closed tab gets what happened in between', { tag: '@long' }, async ({
  page,
  organization,
  context,
}) => {
  const scene = { ...(await addScene(organization, { environment: 'development' })), api: organization.api }
  await signIn(page, organization.email)
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  const other = await context.newPage()
  await other.goto('/approvals')
  await expect(other.getByText('Live', { exact: true })).toBeVisible()
  // Both tabs get an event: the first tab reads it and tells the other.
  await other.evaluate(() => {
    const channel = new BroadcastChannel('mandate events')
    const heard = new Promise<void>((resolve) => {
      channel.addEventListener('message', ({ data }) => 'event' in data && resolve())
    })
    Object.assign(window, { heard })
  })
  await organization.api.call('createPolicy', { body: { name: 'Desk' } })
  await other.evaluate(() => (window as unknown as { heard: Promise<void> }).heard)
  const happened = Promise.withResolvers<void>()
  const sentId = Promise.withResolvers<string | undefined>()
  await other.route('**/events/stream*', async (route) => {
    sentId.resolve(route.request().headers()['last-event-id'])
    await happened.promise
    await route.continue()
  })
  await page.close()
  expect(await sentId.promise).not.toBeUndefined()
  await holdCall(scene, { amount: 48_900 })
  happened.resolve()
  await expect(other.getByRole('article').or(other.getByText('48900')).first()).toBeVisible()
})
