import { addPerson } from '../people.ts'
import { closeDialog, expect, signIn, test } from '../tenant.ts'

test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

test('an owner creates a report, shares it by a link, revokes the link, and deletes the report', async ({
  page,
  organization,
  browser,
}) => {
  const environment_id = organization.environments.production
  const { api } = organization
  const policy = await api.call('createPolicy', { body: { name: 'Prices' } })
  const body = { name: 'price-watcher', environment_id, policy_id: policy.id }
  const { agent } = await api.call('createAgent', { body })
  const attestation = await api.call('openReview', { path: { agent_id: agent.id }, body: { kind: 'attestation' } })
  await api.call('resolveReview', {
    path: { review_id: attestation.id },
    body: { outcome: 'attested', comment: 'reads prices only' },
  })
  await signIn(page, organization.email)
  await page.getByRole('link', { name: 'Reports' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Reports')
  await page.getByRole('button', { name: 'Create report' }).click()
  await page.getByLabel('Title').fill('Third quarter')
  await closeDialog(page.getByRole('dialog'), 'Create report')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Third quarter')
  const agents = page.getByRole('region', { name: 'Agents', exact: true })
  await expect(agents.getByRole('columnheader', { name: 'Owner' })).toBeVisible()
  await expect(agents.getByRole('row', { name: /^price-watcher/ })).toContainText('nobody')
  await expect(agents.getByRole('row', { name: /^price-watcher/ })).toContainText('proposed')
  const exact = /\d{1,2} \w{3} \d{4}, \d\d:\d\d:\d\d \S+/
  await expect(page.getByText(/^Made by .+ The period is from .+ to .+/)).toContainText(exact)
  const approved = page
    .getByRole('region', { name: 'Approvals of record' })
    .getByRole('row', { name: /^price-watcher/ })
  await expect(approved).toContainText('Prices, v1')
  await expect(approved).toContainText(organization.email)
  await expect(approved).toContainText('reads prices only')
  await expect(approved).toContainText(exact)
  const acts = page.getByRole('region', { name: 'What people decided about these agents in the period' })
  await expect(acts.getByRole('row', { name: /attested the attestation review/ })).toContainText('Prices, v1')

  const act = acts.getByRole('row', { name: /attested the attestation review/ })
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 })
    // The whole row is inside of the page: nothing is hidden, cut or behind a sideways scroll.
    for (const cell of await act.getByRole('cell').all()) {
      await expect(cell).toBeVisible()
      const box = await cell.boundingBox()
      expect(box && box.x + box.width).toBeLessThanOrEqual(width)
      expect(await cell.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThanOrEqual(0)
    }
    await expect(act).toContainText('reads prices only')
  }
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('button', { name: 'Copy the link' }).click()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  await closeDialog(page.getByRole('dialog'), 'I stored it')
  const other = await browser.newContext()
  expect((await other.request.get(link)).status()).toBe(200)
  await page.getByRole('button', { name: /^Revoke the link/ }).click()
  await closeDialog(page.getByRole('dialog'), 'Revoke')
  await expect(page.getByText(/^revoked/)).toBeVisible()
  expect((await other.request.get(link)).status()).toBe(404)
  await other.close()

  await page.getByRole('button', { name: 'Delete' }).click()
  await closeDialog(page.getByRole('dialog'), 'Delete')
  await expect(page).toHaveURL(/\/reports$/)
  await expect(page.getByText('There is no report yet.')).toBeVisible()
})

test('a read-only manager reads a report, and sees once why it cannot be shared and deleted', async ({
  page,
  organization,
}) => {
  const { api } = organization
  await api.call('createReport', { body: { title: 'Third quarter' } })
  const sven = await addPerson(organization, { role: 'manager', name: 'Sven Okkarinen' })
  await api.call('updateUser', { path: { user_id: sven.id }, body: { read_only: true } })
  await signIn(page, sven.email, '/reports')
  await expect(page.getByRole('button', { name: 'Create report' })).toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('link', { name: 'Third quarter' }).click()
  const share = page.getByRole('button', { name: 'Share' })
  await expect(share).toHaveAttribute('aria-disabled', 'true')
  const reason = 'your user is read-only and cannot make changes; only an owner can remove this'
  await expect(share).toHaveAccessibleDescription(reason)
  await expect(page.getByRole('button', { name: 'Delete' })).toHaveAccessibleDescription(reason)
  await expect(page.locator('#main').getByText(reason)).toHaveCount(1)
  await expect(page.locator('#main').getByText('Share, Delete:')).toBeVisible()
  // The reason takes no place from the name, which stays on one line.
  const heading = await page.getByRole('heading', { level: 1 }).boundingBox()
  expect(heading?.height).toBeLessThanOrEqual(28)
})
