// Long: it starts a server of its own, and stops and starts it again.
import type { Page } from '@playwright/test'
import { addScene } from '../agents-of-tests.ts'
import { test } from '../own-server.ts'
import { expect, type Organization, signIn } from '../tenant.ts'

// These tests stop the server that they share.
test.describe.configure({ mode: 'serial' })

const away = /^ERR|^console: .*(ERR_CONNECTION_REFUSED|Failed to load)/

/** Opens a form with something typed into it. */
async function typeInForm(page: Page) {
  await page.getByRole('button', { name: 'Register agent' }).first().click()
  const form = page.getByRole('dialog', { name: 'Register an agent' })
  await form.getByLabel('Name').fill('invoice-matcher')
  return form
}

async function addAgents({ api, environments }: Organization, ...names: string[]): Promise<void> {
  for (const name of names) await api.call('createAgent', { body: { name, environment_id: environments.development } })
}

test('while the server is away the page says so, keeps what was typed, and catches up by itself', {
  tag: '@long',
}, async ({ page, organization, server, expectedFaults }) => {
  test.setTimeout(240_000)
  expectedFaults.push(away)
  await addAgents(organization, 'release-notes')
  await signIn(page, organization.email, '/agents?governance_state=discovered')
  await expect(page.getByRole('row', { name: /release-notes/ })).toBeVisible()
  const form = await typeInForm(page)
  await server.halt()
  await expect(page.getByText(/The connection to the server is lost, \d+ s/)).toBeVisible()
  // The seconds are not announced, because a screen reader would read the text again each second.
  const announced = await page.getByRole('status').filter({ hasText: 'is lost' }).ariaSnapshot()
  expect(announced).toMatch(/is lost\W+The page shows/)
  await form.getByRole('button', { name: 'Register agent' }).click()
  await expect(form.getByText(/cannot be reached/)).toBeVisible()
  await form.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Discard the text' }).click()
  await expect(page.getByRole('row', { name: /release-notes/ })).toBeVisible()
  // A page that was never open waits for its code or for its data, and then shows them.
  await page.getByRole('link', { name: 'Policies', exact: true }).click()
  const tryNow = page.getByRole('button', { name: 'Try now' })
  await tryNow.click()
  await expect(tryNow).toBeVisible()
  await server.resume()
  await organization.api.call('createPolicy', { body: { name: 'Desk' } })
  // The page also tries by itself, and the button is then gone.
  await tryNow.click({ timeout: 3_000 }).catch(() => {})
  // The page waits longer after each failed attempt.
  const again = page.getByText(/^Connected again\./)
  const heights = () => again.evaluateAll((found) => found.map((bar) => bar.getBoundingClientRect().height))
  // It takes the place of the bar before, for everyone. Later only screen readers have the text.
  await expect.poll(async () => Math.max(...(await heights())), { timeout: 60_000 }).toBeGreaterThan(30)
  await expect(page.getByRole('row', { name: /Desk/ })).toBeVisible({ timeout: 60_000 })
  await expect(page.getByText(/The connection to the server is lost/)).toHaveCount(0)
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await expect.poll(async () => Math.max(...(await heights()))).toBeLessThan(30)
})

test('too many requests: the page says how long it waits, and continues by itself', { tag: '@long' }, async ({
  page,
  organization,
  server,
  expectedFaults,
}) => {
  expectedFaults.push(away, /^429 /)
  const { policy } = await addScene({ ...organization })
  await page.clock.install()
  await signIn(page, organization.email, '/agents')
  const form = await typeInForm(page)
  await form.getByLabel('Policy').selectOption(policy.id)
  await server.halt()
  await server.resume({ MANDATE_SESSION_RATE: '1' })
  // The page has used the one request that it may send.
  await expect(page.getByText(/Too many requests\. The page continues by itself in \d+ s\./)).toBeVisible()
  await form.getByRole('button', { name: 'Register agent' }).click()
  await expect(form.getByRole('button', { name: 'Register agent' })).toHaveAttribute('aria-busy', 'true')
  await server.halt()
  await server.resume()
  await page.clock.fastForward(61_000)
  await expect(page.getByRole('dialog', { name: 'The key of invoice-matcher' })).toBeVisible()
})
