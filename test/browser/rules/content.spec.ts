import { addPerson } from '../people.ts'
import { usePlan } from '../plan.ts'
import { closeDialog, expect, signIn, test } from '../tenant.ts'

test('an owner creates a pattern, tests it, binds it, and sees the version of the bindings', async ({
  page,
  organization,
}) => {
  await usePlan(organization, 'pro')
  const policy = await organization.api.call('createPolicy', { body: { name: 'Guard' } })
  await signIn(page, organization.email)
  await page.getByRole('link', { name: 'Content patterns' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Content patterns')
  await page.getByRole('button', { name: 'Create pattern' }).click()
  await page.getByLabel('Name').fill('Code words')
  await page.getByLabel('Group').fill('internal')
  await page.getByLabel('Words').fill('blue heron\nred kite')
  await closeDialog(page.getByRole('dialog'), 'Create pattern')
  await expect(page.getByRole('row', { name: /^Code words/ })).toContainText('blue heron, red kite')
  await page.getByRole('textbox', { name: 'Text' }).fill('a Red Kite and a blue heron')
  await page.getByRole('button', { name: 'Find patterns' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Code words' })).toContainText('2\u00a0matches')
  await page.getByRole('textbox', { name: 'Text' }).fill('a Red Kite')
  await expect(page.getByRole('status').filter({ hasText: 'Code words' })).toHaveCount(0)

  await page.goto(`/policies/${policy.id}?tab=content`)
  await expect(page.getByText('Nothing is looked for in the content of calls.')).toBeVisible()
  await page.getByRole('button', { name: 'Add binding' }).click()
  await page.getByLabel('Pattern or group').selectOption('Code words')
  await page.getByLabel('Action').selectOption('Deny')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: 'Save bindings' }).click()
  await expect(page.getByRole('row', { name: /^Version 1/ })).toContainText('1\u00a0binding added')
  const saved = await organization.api.call('getContentBindings', { path: { policy_id: policy.id } })
  expect(saved).toMatchObject({ version: 1, bindings: [{ on: 'arguments', action: 'deny' }] })

  const save = page.getByRole('button', { name: 'Save bindings' })
  await expect(save).toBeDisabled()
  await page.getByRole('button', { name: 'Remove Code words in arguments' }).click()
  await save.click()
  const question = page.getByRole('dialog', { name: /^Remove content bindings/ })
  await expect(question).toContainText('Code words in arguments: Deny')
  await closeDialog(question, 'Save bindings')
  await page.getByRole('link', { name: 'Version 1', exact: true }).click()
  await expect(page).toHaveURL(`/policies/${policy.id}?tab=content&version=1`)
  const first = page.getByRole('region', { name: 'Version 1 of the bindings' })
  await expect(first.getByRole('row', { name: /^Code words/ })).toContainText('Deny')
  await page.getByRole('link', { name: 'Version 2', exact: true }).click()
  await expect(page.getByText('This version looks for nothing.')).toBeVisible()
  await page.getByRole('link', { name: 'Close' }).click()
  await expect(page).toHaveURL(`/policies/${policy.id}?tab=content`)
})

test('another tab asks before it discards bindings that are not saved', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  await usePlan(organization, 'pro')
  const { id } = await organization.api.call('createPolicy', { body: { name: 'Guard' } })
  await signIn(page, organization.email, `/policies/${id}?tab=content`)
  const views = page.getByRole('navigation', { name: 'Views of Guard' })
  const asks = page.getByRole('dialog', { name: 'Leave without saving?' })
  const form = page.getByRole('dialog', { name: 'Add a content binding' })
  await page.getByRole('button', { name: 'Add binding' }).click()
  await form.getByLabel('Action').selectOption({ value: 'label' })
  await form.getByLabel('Label').fill('has_secret')
  await form.getByRole('button', { name: 'Cancel' }).click()
  await closeDialog(asks, 'Discard the text')
  await expect(form).toHaveCount(0)
  await page.getByRole('button', { name: 'Add binding' }).click()
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await views.getByRole('link', { name: 'Versions' }).click()
  await closeDialog(asks, 'Cancel')
  await expect(page).toHaveURL(`/policies/${id}?tab=content`)
  await expect(page.getByRole('row', { name: /^Group secrets/ })).toBeVisible()
  await views.getByRole('link', { name: 'Versions' }).click()
  await closeDialog(asks, 'Discard the draft')
  await expect(page).toHaveURL(`/policies/${id}?tab=versions`)
  await views.getByRole('link', { name: 'Content' }).click()
  await expect(page.getByText('Nothing is looked for in the content of calls.')).toBeVisible()
})

test('a plan without content rules turns the box and the button off', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { id } = await organization.api.call('createPolicy', { body: { name: 'Guard' } })
  const reason = 'Your plan does not include this feature. The plans Pro and Enterprise include it.'
  await signIn(page, organization.email, `/policies/${id}?tab=content`)
  await expect(page.getByText('not in force: the box Content rules in the tab Rules is off')).toBeVisible()
  const add = page.getByRole('button', { name: 'Add binding' })
  await expect(add).toHaveAttribute('aria-disabled', 'true')
  await expect(add).toHaveAccessibleDescription(reason)
  await page.getByRole('main').getByText('not in force').getByRole('link', { name: 'Rules' }).click()
  const box = page.getByRole('checkbox', { name: 'Content rules' })
  await expect(box).toHaveAttribute('aria-disabled', 'true')
  await expect(box).toHaveAccessibleDescription(reason)
  await usePlan(organization, 'pro')
  await page.reload()
  await box.check()
  await expect(box).toBeChecked()
})

test('an expression that is not valid is an error at its field', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 POST .*content-patterns$/)
  await signIn(page, organization.email, '/content-patterns')
  await page.getByRole('button', { name: 'Create pattern' }).click()
  await page.getByLabel('Name').fill('Bad')
  await page.getByLabel('Group').fill('internal')
  await page.getByLabel('Kind').selectOption('Regular expression')
  await page.getByLabel('Expression').fill('(')
  await page.getByRole('dialog').getByRole('button', { name: 'Create pattern' }).click()
  await expect(page.getByRole('dialog').getByRole('alert').filter({ hasText: 'is not RE2 syntax' })).toBeVisible()
})

test('bindings that someone else saved meanwhile are not overwritten', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^412 PUT .*content-bindings$/)
  await usePlan(organization, 'pro')
  const { id } = await organization.api.call('createPolicy', { body: { name: 'Guard' } })
  const path = { policy_id: id }
  await signIn(page, organization.email, `/policies/${id}?tab=content`)
  await page.getByRole('button', { name: 'Add binding' }).click()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.route('**/content-bindings', async (route) => {
    if (route.request().method() === 'PUT')
      await organization.api.call('replaceContentBindings', { path, body: { bindings: [] } })
    await route.continue()
  })
  await page.getByRole('button', { name: 'Save bindings' }).click()
  const race = page.getByRole('region', { name: 'Other bindings were saved' })
  await expect(race.getByText(/Version 1 of the bindings was saved by Mara Lindqvist/)).toBeVisible()
  await expect(race.getByText('Version 1 has no binding.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save bindings' })).toHaveAttribute('aria-disabled', 'true')
  await page.unroute('**/content-bindings')
  await race.getByRole('button', { name: 'Keep my draft for version 2' }).click()
  await page.getByRole('button', { name: 'Save bindings' }).click()
  await expect(page.getByText('Saved the content bindings.')).toBeVisible()
  expect(await organization.api.call('getContentBindings', { path })).toMatchObject({ version: 2, bindings: [{}] })
})

test('a member sees the patterns, and why they cannot be changed', { tag: '@long' }, async ({ page, organization }) => {
  const ines = await addPerson(organization, { role: 'member', name: 'Ines Varmaux' })
  await signIn(page, ines.email, '/content-patterns')
  await expect(page.getByRole('row', { name: /^Private key/ })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Create pattern' })).toHaveAttribute('aria-disabled', 'true')
})

test('bindings that someone else saves show at once, beside a draft that stays', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  await usePlan(organization, 'pro')
  const { id } = await organization.api.call('createPolicy', { body: { name: 'Guard' } })
  const path = { policy_id: id }
  const theirs = { group: 'secrets', on: 'arguments', action: 'deny' } as const
  await signIn(page, organization.email, `/policies/${id}?tab=content`)
  await expect(page.getByText('Nothing is looked for in the content of calls.')).toBeVisible()
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await organization.api.call('replaceContentBindings', { path, body: { bindings: [theirs] } })
  await expect(page.getByRole('row', { name: /^Group secrets/ })).toBeVisible()
  await page.getByRole('button', { name: 'Remove Group secrets in arguments' }).click()
  await organization.api.call('replaceContentBindings', { path, body: { bindings: [{ ...theirs, action: 'flag' }] } })
  const race = page.getByRole('region', { name: 'Other bindings were saved' })
  await expect(race.getByText('Group secrets in arguments: Flag')).toBeVisible()
  await expect(page.getByText('Nothing is looked for in the content of calls.')).toBeVisible()
  await race.getByRole('button', { name: 'Take version 2' }).click()
  await expect(page.getByRole('row', { name: /^Group secrets/ })).toBeVisible()
})
