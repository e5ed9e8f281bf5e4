import {
  organization as account,
  installation,
  send,
  startGitHubServer,
  token,
} from '../../../packages/server/src/features/platforms/testing/github-server.ts'
import { addPerson } from '../people.ts'
import { usePlan } from '../plan.ts'
import { closeDialog, expect, signIn, test } from '../tenant.ts'

test('an owner connects a platform, sees that it cannot be synchronized, and disconnects it', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 POST .*platforms$/)
  await usePlan(organization, 'pro')
  await signIn(page, organization.email)
  await page.getByRole('link', { name: 'Connected platforms' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Connected platforms')
  await expect(page.getByText('No platform is connected.')).toBeVisible()
  await page.getByRole('button', { name: 'Connect a platform' }).click()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByLabel('Name')).toHaveAttribute('aria-invalid', 'true')
  await page.getByLabel('Name').fill('Source code')
  await page.getByLabel('Kind').selectOption('Salesforce')
  await closeDialog(page.getByRole('dialog'), 'Connect')
  const row = page.getByRole('row', { name: /^Source code/ })
  await expect(row).toContainText('Not synchronized yet')
  await expect(page.getByRole('button', { name: 'Sync now: Source code' })).toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('button', { name: 'Disconnect Source code' }).click()
  await closeDialog(page.getByRole('dialog'), 'Disconnect')
  await expect(page.getByText('No platform is connected.')).toBeVisible()
})

test('an owner synchronizes a platform, whose agents are discovered, and reads why a later synchronization failed', async ({
  page,
  organization,
}) => {
  await usePlan(organization, 'pro')
  const github = await startGitHubServer()
  github.installations = [installation(1, 'reviewer'), installation(2, 'deployer')]
  try {
    await signIn(page, organization.email, '/platforms?dialog=connect')
    await page.getByLabel('Name').fill('Source code')
    await page.getByLabel('Organization at GitHub').fill(account)
    await page.getByLabel('Address of the REST API').fill(github.baseUrl)
    await page.getByLabel('Token').fill(token)
    await closeDialog(page.getByRole('dialog'), 'Connect')
    const row = page.getByRole('row', { name: /^Source code/ })
    await expect(row).toContainText('Not synchronized yet')
    const sync = page.getByRole('button', { name: 'Sync now: Source code' })
    await sync.click()
    await expect(page.getByLabel('Messages')).toContainText('Synchronized Source code.')
    await expect(row).toContainText('Succeeded')
    github.instead = (_request, response) => {
      send(response, 502, {})
      return true
    }
    await sync.click()
    await expect(page.getByLabel('Messages')).toContainText('Source code could not be synchronized.')
    await expect(row).toContainText('GitHub could not list the installations (502); try again later')
    await expect(page.getByRole('paragraph').filter({ hasText: '1\u00a0synchronization failed' })).toBeVisible()
    await page.goto('/agents?governance_state=discovered')
    for (const name of ['reviewer', 'deployer'])
      await expect(page.getByRole('row', { name: new RegExp(name) })).toBeVisible()
  } finally {
    await github.stop()
  }
})

test('the page says that the plan has no platforms, and shows the command of the operator to owners', {
  tag: '@long',
}, async ({ page, organization }) => {
  await signIn(page, organization.email, '/platforms')
  const connect = page.getByRole('button', { name: 'Connect a platform' })
  await expect(connect).toHaveAttribute('aria-disabled', 'true')
  await expect(connect).toHaveAccessibleDescription(/plan/i)
  await expect(page.getByText(/ask the operator of this server to change the plan/)).toBeVisible()
  await expect(page.getByText(`operator set-plan ${organization.id} pro`)).toBeVisible()
  await page.getByRole('link', { name: 'See the plan' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings')
})

test('a viewer does not see the command of the operator', { tag: '@long' }, async ({ page, organization }) => {
  const viewer = await addPerson(organization, { role: 'viewer', name: 'Sven Okkarinen' })
  await signIn(page, viewer.email, '/platforms')
  await expect(page.getByText(/ask the operator of this server to change the plan/)).toBeVisible()
  await expect(page.getByText(/operator set-plan/)).toHaveCount(0)
})
