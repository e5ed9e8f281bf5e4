import { addScene, holdCall } from '../agents-of-tests.ts'
import { newFleet } from '../fleet.ts'
import { largeOrganization } from '../large-organization.ts'
import { addPerson } from '../people.ts'
import { closeDialog, expect, serverUrl, signIn, test } from '../tenant.ts'

test('an owner sees a call at once when it is held, and approves it', async ({ page, organization }) => {
  const scene = { ...(await addScene(organization)), api: organization.api }
  await signIn(page, organization.email, '/approvals')
  await expect(page.getByRole('paragraph').filter({ hasText: 'No call waits for you' }).first()).toBeVisible()
  const { id } = await holdCall(scene, { amount: 48_900, note: 'please approve\u202e quickly' })
  await expect(page.getByRole('article', { name: 'support-triage wants to call mcp:stripe/refund' })).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`open=${id}`))
  const call = page.getByRole('article')
  await expect(call.getByText('Mandate shows it exactly and has not checked it.')).toBeVisible()
  await expect(call.getByRole('row', { name: /amount.*48900.*the rule asks: above 20000/ })).toBeVisible()
  await expect(call.getByRole('row', { name: /note.*U\+202E.*1.hidden character/ })).toBeVisible()
  const rule = call.getByRole('link', { name: 'Refunds above 200 EUR' })
  await expect(rule).toHaveAttribute('href', /tab=versions&version=1&rule=/)
  await call.getByLabel('Comment').fill('Agreed with Elin')
  await call.getByRole('button', { name: 'Approve' }).click()
  const dialog = page.getByRole('dialog', { name: 'Approve this call of support-triage?' })
  await expect(dialog).toContainText('“Agreed with Elin”')
  await closeDialog(dialog, 'Approve')
  await expect(call.getByText('Approved, not used')).toBeVisible()
  await expect(call.getByText('“Agreed with Elin”')).toBeVisible()
  await expect(page.getByRole('paragraph').filter({ hasText: 'No call waits for you' }).first()).toBeVisible()
  const next = call.getByRole('link', { name: 'Open the next call' })
  await expect(next).toHaveCount(0)
  await holdCall(scene, { amount: 51_200 })
  await expect(next).toBeVisible()
  expect((await organization.api.call('getApproval', { path: { approval_id: id } })).status).toBe('approved')
})

test('an owner denies a call with a comment, and the same call stays denied', async ({ page, organization }) => {
  const scene = { ...(await addScene(organization)), api: organization.api }
  const { id } = await holdCall(scene, { amount: 48_900 })
  await signIn(page, organization.email, '/approvals')
  const call = page.getByRole('article')
  await call.getByLabel('Comment').fill('No order has this number')
  await call.getByRole('button', { name: 'Deny' }).click()
  const dialog = page.getByRole('dialog', { name: 'Deny this call of support-triage?' })
  await expect(dialog).toContainText('does not pass. The same call stays denied until')
  await expect(dialog).toContainText('“No order has this number”')
  await closeDialog(dialog, 'Deny')
  await expect(page.getByLabel('Messages')).toContainText('Denied. The same call stays denied until')
  await expect(call.getByText('Denied', { exact: true })).toBeVisible()
  await expect(call.getByText('You decided')).toBeVisible()
  // The age is not announced, because a screen reader would read the text again each second.
  const outcome = call.getByRole('status')
  await expect(outcome).toContainText(/\(\d+ s ago\)/)
  expect(await outcome.ariaSnapshot()).not.toContain('ago')
  await expect(call.getByText('“No order has this number”')).toBeVisible()
  await expect(call.getByText('The call did not pass. The same call stays denied until')).toBeVisible()
  await expect(call.getByRole('button', { name: 'Approve' })).toHaveCount(0)
  await expect(page.getByRole('paragraph').filter({ hasText: 'No call waits for you' }).first()).toBeVisible()
  expect(await organization.api.call('getApproval', { path: { approval_id: id } })).toMatchObject({
    status: 'rejected',
    comment: 'No order has this number',
  })
})

test('no single key decides', async ({ page, organization }) => {
  const scene = { ...(await addScene(organization)), api: organization.api }
  const { id } = await holdCall(scene, { amount: 48_900 })
  await signIn(page, organization.email, '/approvals')
  for (const name of ['Approve', 'Deny']) {
    await page.getByRole('article').getByRole('button', { name }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Cancel' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
  expect((await organization.api.call('getApproval', { path: { approval_id: id } })).status).toBe('pending')
})

test('if another person is first, the page says who', { tag: '@long' }, async ({ page, organization }) => {
  const scene = { ...(await addScene(organization)), api: organization.api }
  const { id } = await holdCall(scene, { amount: 48_900 })
  const { email } = await addPerson(organization, { role: 'owner', name: 'Ines Varmaux' })
  await signIn(page, email, `/approvals?open=${id}&who=everyone`)
  const call = page.getByRole('article')
  await call.getByLabel('Comment').fill('No such order')
  await call.getByRole('button', { name: 'Deny' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('“No such order”')
  await organization.api.call('resolveApproval', { path: { approval_id: id }, body: { outcome: 'rejected' } })
  await expect(dialog.getByRole('alert')).toHaveText(
    'Mara Lindqvist decided the call meanwhile: Denied. Your decision does not count.',
  )
  await closeDialog(dialog, 'Cancel')
  await expect(call.getByText('Mara Lindqvist decided first')).toBeVisible()
  await expect(call.getByText('Denied', { exact: true })).toBeVisible()
  await expect(call.getByText('Your comment was not sent: “No such order”')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Approve' })).toHaveCount(0)
})

test('a person who may not decide reads why', { tag: '@long' }, async ({ page, organization }) => {
  const scene = { ...(await addScene(organization)), api: organization.api }
  await holdCall(scene, { amount: 48_900 })
  const { email } = await addPerson(organization, { role: 'viewer', name: 'Kofi Brandal' })
  await signIn(page, email, '/approvals')
  await expect(page.getByRole('paragraph').filter({ hasText: 'No call waits for you' }).first()).toBeVisible()
  // The list of all calls is read before it says that none waits.
  const isRead = Promise.withResolvers<void>()
  await page.route(/approvals\?.*limit=50/, async (route) => {
    await isRead.promise
    await route.continue()
  })
  await page.getByRole('link', { name: /1.call waits/ }).click()
  await expect(page.getByRole('link', { name: 'Show only mine' })).toBeVisible()
  expect(await page.getByText('No call waits.', { exact: true }).count()).toBe(0)
  isRead.resolve()
  const approve = page.getByRole('article').getByRole('button', { name: 'Approve' })
  await expect(approve).toHaveAttribute('aria-disabled', 'true')
  await expect(approve).toHaveAccessibleDescription(/manager/)
})

test('a new call does not move the list under the pointer', { tag: '@long' }, async ({ page, organization }) => {
  const scene = { ...(await addScene(organization)), api: organization.api }
  await holdCall(scene, { amount: 48_900 })
  await signIn(page, organization.email, '/approvals')
  const list = page.getByRole('region', { name: 'Waiting' })
  await list.getByRole('link', { name: /support-triage/ }).hover()
  await holdCall(scene, { amount: 21_000 })
  await expect(list.getByRole('button', { name: '1\u00a0new call, show it' })).toBeVisible()
  await expect(list.getByRole('link', { name: /support-triage/ })).toHaveCount(1)
  await list.getByRole('button', { name: /new call/ }).click()
  await expect(list.getByRole('link', { name: /support-triage/ })).toHaveCount(2)
  await expect(list.getByRole('link', { name: /amount: 48900/ })).toHaveCount(1)
  await expect(list.getByRole('link', { name: /amount: 21000/ })).toHaveCount(1)
})

test('the keys J and K move in the list', { tag: '@long' }, async ({ page, organization }) => {
  const scene = { ...(await addScene(organization)), api: organization.api }
  await holdCall(scene, { amount: 48_900 })
  const second = await holdCall(scene, { amount: 21_000 })
  await signIn(page, organization.email, '/approvals')
  const links = page.getByRole('region', { name: 'Waiting' }).getByRole('link', { name: /support-triage/ })
  await links.first().focus()
  await page.keyboard.press('j')
  await expect(links.nth(1)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`open=${second.id}`))
})

test('the calls of an approval are listed, whenever the agent made them', async ({ page, organization }) => {
  const fleet = await newFleet(serverUrl(), organization)
  const approval_id = await fleet.ask({ tool: 'mcp:stripe/refund', args: { amount: 48_900 }, rule: 1 })
  const call = { tool: 'mcp:stripe/refund', effect: 'require_approval' } as const
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  await fleet.edge.record(
    ...[1, 2, 3, 4, 5].map((hours) => fleet.call({ ...call, approval_id, at: hoursAgo(hours) })),
    fleet.call(call),
  )
  await signIn(page, organization.email, `/approvals?open=${approval_id}`)
  await page
    .getByRole('article')
    .getByRole('link', { name: /^and 2.more calls$/ })
    .click()
  await expect(page.getByText('The calls of one approval are not counted over time.')).toBeVisible()
  await expect(
    page.getByRole('button', { name: /^Approval: call of support-triage: mcp:stripe\/refund, / }),
  ).toBeVisible()
  await expect(page.getByRole('region', { name: 'Decisions, newest first' }).getByRole('row')).toHaveCount(6)
})

test('the list of waiting calls continues, and its last call can be opened', { tag: '@long' }, async ({
  page,
  expectedFaults,
}) => {
  // The filled organization has no saved versions.
  expectedFaults.push(/^404 GET .*versions\/1$/)
  const none = { decisions: 0, entries: 0, people: 0, edges: 0 }
  const { email } = await largeOrganization({ ...none, agents: 120, policies: 1, others: 120 })
  await signIn(page, email, '/approvals')
  const list = page.getByRole('region', { name: 'Waiting' })
  const calls = list.getByRole('link', { name: /agent \d+/ })
  await expect(calls).toHaveCount(50)
  await list.getByRole('button', { name: 'Show more' }).click()
  await expect(calls).toHaveCount(100)
  await list.getByRole('button', { name: 'Show more' }).click()
  await expect(calls).toHaveCount(120)
  await expect(list.getByRole('button', { name: 'Show more' })).toHaveCount(0)
  const name = await calls.last().locator('b').innerText()
  await calls.last().click()
  await expect(page.getByRole('article', { name: `${name} wants to call mcp:crm/get` })).toBeVisible()
})
