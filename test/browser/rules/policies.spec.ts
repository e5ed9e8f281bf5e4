import { newFleet } from '../fleet.ts'
import { addPerson } from '../people.ts'
import { closeDialog, expect, serverUrl, signIn, test } from '../tenant.ts'

test('an owner creates a policy, adds a rule, and sees an error at its field', async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 POST .*validate$/)
  await signIn(page, organization.email, '/policies')
  await expect(page.getByText('An agent without a policy is denied every call.')).toBeVisible()
  await page.getByRole('button', { name: 'Create policy' }).first().click()
  await page.getByRole('dialog').getByLabel('Name').fill('Support desk')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Support desk')
  await page.getByRole('button', { name: 'Add rule' }).click()
  await expect(page.getByRole('heading', { name: 'Rule 10', exact: true })).toBeVisible()
  // The server has refused the rule without a tool, but the reader has not been at the field yet.
  await expect(page.getByText('Save version 2: 1 rule names no tool yet.')).toBeVisible()
  await expect(page.getByText('Not complete yet')).toBeVisible()
  await expect(page.getByLabel('Tools')).not.toHaveAttribute('aria-invalid')
  await page.getByLabel('Name', { exact: true }).fill('Read the desk')
  await page.getByLabel('Effect', { exact: true }).selectOption('allow')
  await page.getByLabel('Tools').fill('mcp:sms')
  await expect(page.getByText('“mcp:sms” is not a tool pattern: it must have two segments')).toBeVisible()
  await expect(page.getByLabel('Tools')).toHaveAttribute('aria-invalid', 'true')
  const save = page.getByRole('button', { name: 'Save version 2' })
  await expect(save).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByText('1 field needs a fix.')).toBeVisible()
  await page.getByLabel('Tools').fill('mcp:crm/get-*')
  await page.getByRole('button', { name: 'Add condition' }).click()
  await page.getByLabel('Path 1').fill('args.limit')
  await page.getByLabel('Operator 1').selectOption('lte')
  await page.getByLabel('Value 1').fill('many')
  await expect(page.getByRole('alert').filter({ hasText: /^Must be a number/ })).toBeVisible()
  await expect(page.getByLabel('Value 1')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('Path 1')).not.toHaveAttribute('aria-invalid')
  await page.getByLabel('Value 1').fill('100')
  await expect(save).not.toHaveAttribute('aria-disabled')
  await save.click()
  // The rule allows calls that were denied, so the save asks once.
  const question = page.getByRole('dialog', { name: 'Save a looser version of Support desk?' })
  await expect(question.getByText('No recorded call of the last 7 days would change')).toBeVisible()
  await closeDialog(question, 'Save version 2')
  await expect(page.getByText('Saved version 2.')).toBeVisible()
  await expect(page.getByText(/now at version 2/)).toBeVisible()
  await page.reload()
  await expect(page.getByText('args.limit at most 100')).toBeVisible()
})

test('a rule takes a tool that agents called, and a save that frees recorded calls names them', {
  tag: '@long',
}, async ({ page, organization, expectedFaults }) => {
  expectedFaults.push(/^400 POST .*validate$/)
  const fleet = await newFleet(serverUrl(), organization)
  const denied = fleet.call({ tool: 'mcp:warehouse/close', effect: 'deny' })
  await fleet.edge.record(denied, fleet.call({ tool: 'mcp:warehouse/close', effect: 'deny' }))
  await signIn(page, organization.email, `/policies/${fleet.policy.id}`)
  await page.getByRole('button', { name: 'Add rule' }).click()
  await page.getByLabel('Effect', { exact: true }).selectOption('allow')
  await page.getByRole('button', { name: 'Add a called tool' }).click()
  await page.getByRole('menuitem', { name: /^mcp:warehouse\/close/ }).click()
  await expect(page.getByLabel('Tools')).toHaveValue('mcp:warehouse/close')
  await page.getByText('How a pattern is written').click()
  await expect(page.getByText('A star stands for any text')).toBeVisible()
  await page.getByRole('button', { name: 'Save version 2' }).click()
  const question = page.getByRole('dialog', { name: 'Save a looser version of Support?' })
  await expect(question.getByText(/^2.recorded calls that were denied would be allowed\.$/)).toBeVisible()
  await closeDialog(question, 'Cancel')
  await expect(page.getByText('draft, 1 change')).toBeVisible()
  await page.getByRole('button', { name: 'Save version 2' }).click()
  await closeDialog(question, 'Save version 2')
  await expect(page.getByText('Saved version 2.')).toBeVisible()
})

test('the impact shows what a draft would change, and what the record cannot tell', async ({ page, organization }) => {
  const fleet = await newFleet(serverUrl(), organization)
  const { policy } = fleet
  await fleet.edge.record(
    fleet.call({ tool: 'mcp:mail/read', rule_id: policy.rules[3]?.id }),
    fleet.call({ tool: 'mcp:mail/read', rule_id: policy.rules[3]?.id }),
    fleet.call({ tool: 'mcp:stripe/refund', effect: 'require_approval', rule_id: policy.rules[1]?.id }),
  )
  await signIn(page, organization.email, `/policies/${policy.id}`)
  await page.getByRole('button', { name: 'Edit Read the desk' }).click()
  await page.getByLabel('Effect', { exact: true }).selectOption('require_approval')
  const impact = page.getByRole('region', { name: 'Impact of this draft' })
  await expect(impact.getByText('This tightens.')).toBeVisible()
  await expect(impact.getByText(/2\s*would wait for a person, for 1 the result is unknown/)).toBeVisible()
  await expect(impact.getByRole('link', { name: 'Open the environments' })).toBeVisible()
  const row = impact.getByRole('row', { name: /^Allow/ })
  await expect(row.getByRole('cell')).toHaveText(['0', '2', '0', '0'])
  await impact.getByRole('button', { name: '30 days' }).click()
  await expect(impact.getByText(/recorded decisions of the last 30 days/)).toBeVisible()
  const flipped = impact.getByRole('row', { name: /^mcp:mail\/read/ }).getByRole('link', { name: /mail/ })
  const link = new URL((await flipped.getAttribute('href')) ?? '', serverUrl())
  const list = await page.context().newPage()
  await list.goto(link.href)
  await expect(list.getByRole('button', { name: /^Period: (?!any)/ })).toBeVisible()
  await expect(list.getByRole('region', { name: 'Decisions, newest first' }).getByRole('row')).toHaveCount(3)
  await list.close()
  const attempt = page.getByRole('region', { name: 'Try a call' })
  await attempt.getByLabel('Tool').fill('mcp:mail/read')
  await expect(attempt.getByText('by rule 50, Read the desk')).toBeVisible()
  await expect(attempt.getByText('Version 1 says')).toBeVisible()
  await attempt.getByLabel('Arguments, JSON').fill('[1]')
  await expect(attempt.getByText('The arguments must be a JSON object')).toBeVisible()
})

test('a rule gets a limit, shows an error at its field, and loses the limit with its effect', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 POST .*validate$/)
  const { policy } = await newFleet(serverUrl(), organization)
  await signIn(page, organization.email, `/policies/${policy.id}`)
  await page.getByRole('button', { name: 'Edit Read the desk' }).click()
  await page.getByLabel('Limit how often an agent may use the rule').check()
  await expect(page.getByRole('list').getByText('at most 10 times in 1 hour')).toBeVisible()
  await page.getByLabel('Calls at most').fill('0')
  await expect(page.getByLabel('Calls at most')).toHaveAttribute('aria-invalid', 'true')
  await page.getByLabel('Calls at most').fill('2')
  await page.getByLabel('Window', { exact: true }).fill('90')
  await page.getByLabel('Unit of the window').selectOption('minutes')
  await expect(page.getByRole('list').getByText('at most 2 times in 90 minutes')).toBeVisible()
  const attempt = page.getByRole('region', { name: 'Try a call' })
  await attempt.getByLabel('Tool').fill('mcp:mail/read')
  await expect(attempt.getByText('which allows an agent at most 2 times in 90 minutes')).toBeVisible()
  await page.getByRole('button', { name: 'Save version 2' }).click()
  await expect(page.getByText('Saved version 2.')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('list').getByText('at most 2 times in 90 minutes')).toBeVisible()
  await page.getByRole('button', { name: 'Edit Read the desk' }).click()
  await expect(page.getByLabel('Window', { exact: true })).toHaveValue('90')
  await page.getByLabel('Effect', { exact: true }).selectOption('require_approval')
  await expect(page.getByLabel('Limit how often an agent may use the rule')).toBeHidden()
  await expect(page.getByText('at most 2 times in 90 minutes')).toBeHidden()
})

test('a rule on the labels of the session is edited and tried', { tag: '@long' }, async ({ page, organization }) => {
  const { policy } = await newFleet(serverUrl(), organization)
  await signIn(page, organization.email, `/policies/${policy.id}`)
  await page.getByRole('button', { name: 'Edit Read the desk' }).click()
  await page.getByRole('button', { name: 'Add condition' }).click()
  await page.getByLabel('Path 1').fill('session.labels')
  await page.getByLabel('Operator 1').selectOption('has')
  await page.getByLabel('Value 1').fill('untrusted_output')
  const attempt = page.getByRole('region', { name: 'Try a call' })
  await attempt.getByLabel('Tool').fill('mcp:mail/read')
  await expect(attempt.getByText('by the default effect')).toBeVisible()
  await attempt.getByLabel('Labels of the session').fill('untrusted_output')
  await expect(attempt.getByText('by rule 50, Read the desk')).toBeVisible()
  await attempt.getByLabel('Inventory').selectOption('Production')
  await expect(attempt.getByText('by rule 50, Read the desk')).toBeVisible()
  await page.getByRole('button', { name: 'Save version 2' }).click()
  await expect(page.getByText('Saved version 2.')).toBeVisible()
})

test('a save that lost a race shows both versions', async ({ page, organization }) => {
  const { policy } = await newFleet(serverUrl(), organization)
  await signIn(page, organization.email, `/policies/${policy.id}`)
  await page.getByRole('button', { name: 'Edit Refunds above 200 EUR' }).click()
  await page.getByLabel('Value 1').fill('10000')
  await expect(page.getByRole('button', { name: 'Save version 2' })).not.toHaveAttribute('aria-disabled')
  const body = { description: 'What the desk may do.' }
  await organization.api.call('updatePolicy', { path: { policy_id: policy.id }, body })
  const race = page.getByRole('region', { name: 'Another version was saved' })
  await expect(race.getByText(/Version 2 was saved by Mara Lindqvist/)).toBeVisible()
  await expect(race.getByText(/Rule Refunds above 200 EUR: tools and conditions changed/)).toBeVisible()
  await race.getByRole('button', { name: 'Keep my draft for version 3' }).click()
  await page.getByRole('button', { name: 'Save version 3' }).click()
  await expect(page.getByText('Saved version 3.')).toBeVisible()
  // The draft did not change the description, so the one of the other person stays.
  expect(await organization.api.call('getPolicy', { path: { policy_id: policy.id } })).toMatchObject(body)
})

test('versions have diffs in words, and an earlier one is restored', async ({ page, organization }) => {
  const { policy } = await newFleet(serverUrl(), organization)
  const path = { policy_id: policy.id, rule_id: policy.rules[0]?.id ?? '' }
  await organization.api.call('updateRule', { path, body: { effect: 'allow' } })
  await signIn(page, organization.email, `/policies/${policy.id}`)
  await page.getByRole('link', { name: /^Versions/ }).click()
  const changes = page.getByRole('table', { name: 'Changes from Version 1 to Version 2' })
  const changed = changes.getByRole('rowheader', { name: 'Rule Never close accounts changed' })
  await expect(changed).toContainText(/was Deny.*is Allow.*Loosens/)
  const view = page.getByRole('group', { name: 'View of the changes' })
  await view.getByRole('button', { name: 'Text' }).click()
  await expect(page.getByText('Rule Never close accounts: effect was Deny, is Allow')).toBeVisible()
  await page.getByRole('link', { name: 'Version 1', exact: true }).click()
  const whole = page.getByRole('region', { name: 'All of version 1' })
  await expect(whole.getByRole('listitem').filter({ hasText: 'Refunds above 200 EUR' })).toContainText(
    'args.amount above 20000',
  )
  await expect(whole.getByText('Production', { exact: true })).toBeVisible()
  await whole.getByRole('button', { name: 'Text' }).click()
  await expect(whole.getByText('"name": "Never close accounts"')).toBeVisible()
  await page.getByRole('button', { name: 'Restore' }).click()
  const question = page.getByRole('dialog', { name: 'Restore version 1?' })
  await expect(question.getByRole('rowheader', { name: 'Rule Never close accounts changed' })).toContainText(
    /was Allow.*is Deny/,
  )
  await expect(question.getByText(/No call of the last 7 days is recorded/)).toBeVisible()
  await closeDialog(question, 'Restore')
  await expect(page.getByText('Restored version 1 as version 3.')).toBeVisible()
  // The other way round, the restore is looser and says so.
  await page.getByRole('link', { name: 'Version 2', exact: true }).click()
  await expect(page.getByRole('region', { name: 'All of version 2' })).toBeVisible()
  await page.getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByRole('dialog').getByText('This restore allows more.')).toBeVisible()
})

test('a viewer reads a policy and tries a call, but cannot change the policy', async ({ page, organization }) => {
  const { policy } = await newFleet(serverUrl(), organization)
  const viewer = await addPerson(organization, { role: 'viewer', name: 'Jonas Adeholt' })
  await signIn(page, viewer.email, `/policies/${policy.id}`)
  const save = page.getByRole('button', { name: 'Save version 2' })
  await expect(save).toHaveAttribute('aria-disabled', 'true')
  await expect(save).toHaveAccessibleDescription(/only a member or above/)
  await expect(page.getByRole('list', { name: 'Rules, by priority' })).toContainText('Read the desk')
  await expect(page.getByRole('region', { name: 'Try a call' })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Edit|^Add rule/ })).toHaveCount(0)
  await expect(page.getByLabel('Name of the policy')).toHaveCount(0)
  await expect(page.getByText(/^draft, /)).toHaveCount(0)
})

test('leaving with a draft asks first', async ({ page, organization }) => {
  const { policy } = await newFleet(serverUrl(), organization)
  await signIn(page, organization.email, `/policies/${policy.id}`)
  await page.getByLabel('Description').fill('A draft.')
  await page.getByRole('link', { name: 'Overview' }).click()
  await expect(page.getByRole('dialog', { name: 'Leave without saving?' })).toBeVisible()
  await closeDialog(page.getByRole('dialog'), 'Cancel')
  await expect(page.getByLabel('Description')).toHaveValue('A draft.')
  await page.getByRole('link', { name: 'Overview' }).click()
  await closeDialog(page.getByRole('dialog'), 'Discard the draft')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
})

test('what is typed while a save runs stays a draft', { tag: '@long' }, async ({ page, organization }) => {
  const { policy } = await newFleet(serverUrl(), organization)
  await signIn(page, organization.email, `/policies/${policy.id}`)
  const description = page.getByLabel('Description')
  await description.fill('First.')
  const answer = Promise.withResolvers<void>()
  await page.route(`**/policies/${policy.id}`, async (route) => {
    if (route.request().method() === 'PUT') await answer.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Save version 2' }).click()
  await expect(page.getByRole('button', { name: 'Save version 2' })).toHaveAttribute('aria-busy', 'true')
  await description.fill('First. Second.')
  answer.resolve()
  await expect(page.getByText('Saved version 2.')).toBeVisible()
  await expect(description).toHaveValue('First. Second.')
  await expect(page.getByText('draft, 1 change')).toBeVisible()
  await page.getByRole('button', { name: 'Save version 3' }).click()
  await expect(page.getByText('Saved version 3.')).toBeVisible()
  const saved = await organization.api.call('getPolicy', { path: { policy_id: policy.id } })
  expect(saved.description).toBe('First. Second.')
})

test('a refused save says so on every tab', { tag: '@long' }, async ({ page, organization, expectedFaults }) => {
  expectedFaults.push(/^403 PUT .*policies/)
  const { policy } = await newFleet(serverUrl(), organization)
  const { id, email } = await addPerson(organization, { role: 'member', name: 'Kofi Brandal' })
  await signIn(page, email, `/policies/${policy.id}`)
  await page.getByLabel('Description').fill('A draft.')
  await page.getByRole('link', { name: /^Versions/ }).click()
  const save = page.getByRole('button', { name: 'Save version 2' })
  await expect(save).not.toHaveAttribute('aria-disabled')
  await organization.api.call('updateUser', { path: { user_id: id }, body: { role: 'viewer' } })
  await save.click()
  await expect(page.getByText(/^The policy was not saved: /)).toBeVisible()
})

test('the id of a policy is copied', { tag: '@long' }, async ({ page, organization, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { id } = await organization.api.call('createPolicy', { body: { name: 'Desk' } })
  await signIn(page, organization.email, `/policies/${id}`)
  await page.getByRole('button', { name: /copy the id of the policy/ }).click()
  await expect(page.getByLabel('Messages')).toContainText('Copied the id of the policy.')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id)
})

test('a text that its column cuts is whole under the pointer and at the focus', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const name = `Rules for everyone who works at the desk, ${'and for those who help them, '.repeat(4)}today`
  const description = `What the desk may do, ${'also late at night, '.repeat(6)}and on Sundays`
  await organization.api.call('createPolicy', { body: { name, description } })
  await signIn(page, organization.email, '/policies')
  const row = page.getByRole('row', { name: /^Rules for everyone/ })
  await row.getByText(/^What the desk may do/).hover()
  await expect(row.getByTitle(description, { exact: true })).toBeVisible()
  const link = row.getByRole('link').first()
  await page.getByRole('searchbox', { name: 'Name' }).focus()
  await expect(async () => {
    await page.keyboard.press('Tab')
    await expect(link).toBeFocused({ timeout: 100 })
  }).toPass()
  await expect(page.getByRole('tooltip')).toHaveText(name)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('tooltip')).toHaveCount(0)
})
