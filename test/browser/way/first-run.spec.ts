import type { Page } from '@playwright/test'
import { findViolationsOfThemes } from '../accessibility.ts'
import { Shell } from '../shell.ts'
import { closeDialog, expect, type Organization, signIn, test } from '../tenant.ts'
import { byMouse } from './hands.ts'
import { approveAgent, commandUnder, createAgent, seeDenial, seePass, sentence, startEdge } from './walk.ts'

async function register(page: Page, { email }: Organization): Promise<void> {
  await signIn(page, email)
  await expect(sentence(page, '0 of 5 steps are done.')).toBeVisible()
  await createAgent(byMouse(page))
}

test('the denied call stays on the page until the owner hides the checklist', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  test.setTimeout(240_000)
  await register(page, organization)
  const shell = await Shell.open()
  const walker = { hands: byMouse(page), shell }
  try {
    await startEdge(walker)
    await approveAgent(walker.hands)
    await seePass(walker)
    await seeDenial(walker)
    const { data } = await organization.api.call('listDecisions', { query: { effect: 'deny' } })
    const link = page.getByRole('link', { name: 'See why it was denied' })
    await expect(link).toHaveAttribute('href', `/decisions/${data[0]?.decision_id}`)
    await expect(page.getByRole('link', { name: 'See the audit trail' })).toBeVisible()
    await page.reload()
    await expect(sentence(page, '5 of 5 steps are done.')).toBeVisible()
    expect(await findViolationsOfThemes(page)).toEqual([])
    await page.getByRole('button', { name: 'Hide the checklist' }).click()
    await expect(sentence(page, 'steps are done')).toBeHidden()
  } finally {
    await shell.close()
  }
})

test('the checklist is accessible in both themes, before and after its first step', async ({ page, organization }) => {
  await signIn(page, organization.email)
  await expect(sentence(page, '0 of 5 steps are done.')).toBeVisible()
  expect(await findViolationsOfThemes(page)).toEqual([])
  await createAgent(byMouse(page))
  await expect(page.getByText(/MANDATE_EDGE_KEY=ak_/)).toBeVisible()
  expect(await findViolationsOfThemes(page)).toEqual([])
})

test('a reload keeps the steps, and the key can be replaced', async ({ page, organization }) => {
  await register(page, organization)
  await expect(page.getByText(/MANDATE_EDGE_KEY=ak_/)).toBeVisible()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Findings' }).click()
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog', { name: 'Leave without the key?' }))
  await closeDialog(dialog, 'Cancel')
  const before = await commandUnder(page, 'Start the edge')
  page.once('dialog', (asked) => void asked.accept())
  await page.reload()
  await expect(sentence(page, '1 of 5 steps is done.')).toBeVisible()
  await expect(page.getByText(/ak_/)).toBeHidden()
  expect(await commandUnder(page, 'Start the edge')).toContain('MANDATE_EDGE_KEY=YOUR_KEY npx mandate edge run')
  await page.getByRole('button', { name: 'Replace the key' }).click()
  await closeDialog(page.getByRole('dialog'), 'Replace the key')
  await expect(page.getByText(/MANDATE_EDGE_KEY=ak_/)).toBeVisible()
  expect(await commandUnder(page, 'Start the edge')).not.toBe(before)
})

test('an error is shown at the name, and the name stays', async ({ page, organization, expectedFaults }) => {
  expectedFaults.push(/^400 POST \/api\/v1\/agents$/)
  await signIn(page, organization.email)
  const name = page.getByLabel('Name of the agent')
  await name.fill(' ')
  await page.getByRole('button', { name: 'Create the policy and the agent' }).click()
  await expect(name).toHaveAttribute('aria-invalid', 'true')
  await name.fill('release-notes')
  await page.getByRole('button', { name: 'Create the policy and the agent' }).click()
  await expect(sentence(page, '1 of 5 steps is done.')).toBeVisible()
  const { data } = await organization.api.call('listPolicies')
  expect(data.map((policy) => policy.name)).toEqual(['Starter'])
  const { data: agents } = await organization.api.call('listAgents')
  expect(agents[0]?.owner_user_id).toBe((await organization.api.call('getSession')).user.id)
})
