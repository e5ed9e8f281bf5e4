// Long: it opens an object of each kind and its list, in two widths.
import { newFleet } from '../fleet.ts'
import { expect, type Organization, serverUrl, signIn, test } from '../tenant.ts'

/** The address of one object of each kind, with the list that it belongs to. */
async function objectsOf(organization: Organization): Promise<{ list: string; to: string; address: string }[]> {
  const { api } = organization
  const fleet = await newFleet(serverUrl(), organization)
  await fleet.edge.record(fleet.call())
  const { data: decisions } = await api.call('listDecisions')
  const { data: edges } = await api.call('listEdges')
  const review = await api.call('openReview', { path: { agent_id: fleet.agent.id }, body: { kind: 'attestation' } })
  const report = await api.call('createReport', { body: {} })
  const freeze = await api.call('createFreeze', { body: { scope: 'organization', reason: 'Invoices are wrong' } })
  return [
    { list: 'Agents', to: '/agents', address: `/agents/${fleet.agent.id}` },
    { list: 'Policies', to: '/policies', address: `/policies/${fleet.policy.id}` },
    { list: 'Decisions', to: '/decisions', address: `/decisions/${decisions[0]?.decision_id}` },
    { list: 'Edges', to: '/edges', address: `/edges/${edges[0]?.id}` },
    { list: 'Reviews', to: '/reviews', address: `/reviews/${review.id}` },
    { list: 'Reports', to: '/reports', address: `/reports/${report.id}` },
    { list: 'Freezes', to: '/freezes', address: `/freezes/${freeze.id}` },
  ]
}

test('the page of each object leads to its list, on a desk and on a phone', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const objects = await objectsOf(organization)
  await signIn(page, organization.email)
  const way = page.getByRole('navigation', { name: 'Breadcrumb' })
  for (const { list, to, address } of objects) {
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(address)
    await expect(way.getByRole('link')).toHaveText(['Norrvik Supply', list])
    const heading = page.getByRole('heading', { level: 1 })
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    await expect(way.locator('[aria-current="page"]')).toHaveText((await heading.textContent()) ?? '')
    // No link leads to the page that is shown: its list is only the place where it belongs.
    await expect(page.locator(`a[aria-current="page"]:not([href^="${address}"])`)).toHaveCount(0)
    await page.setViewportSize({ width: 360, height: 900 })
    await way.getByRole('link', { name: list }).click()
    await expect(page).toHaveURL(new RegExp(`${to}$`))
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(list)
    await expect(way.locator('[aria-current="page"]')).toHaveText(list)
  }
})

test('the page of each object leads to the audit entries about it', async ({ page, organization }) => {
  const objects = await objectsOf(organization)
  await signIn(page, organization.email)
  for (const { list, address } of objects) {
    // A decision never changes.
    if (list === 'Decisions') continue
    await page.goto(address)
    const heading = page.getByRole('heading', { level: 1 })
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    const name = await heading.textContent()
    await page.getByRole('link', { name: 'History', exact: true }).click()
    await expect(heading).toHaveText('Audit trail')
    await expect(page).toHaveURL(/(agent_id|resource_id)=/)
    await expect(
      page.getByRole('region', { name: 'Entries, newest first' }).getByRole('row').nth(1),
      `${name}`,
    ).toBeVisible()
    await expect(page.getByText('created the organization')).toHaveCount(0)
  }
})

test('the settings of the organization lead to the audit entries about it', async ({ page, organization }) => {
  const { id, api } = organization
  await api.call('updateTenant', { path: { id }, body: { decision_retention_days: 800 } })
  await signIn(page, organization.email, '/settings')
  await page.getByRole('link', { name: 'History', exact: true }).click()
  await expect(page).toHaveURL(/resource_type=tenant/)
  const entries = page.getByRole('region', { name: 'Entries, newest first' }).getByRole('row')
  await expect(entries.filter({ hasText: 'created the organization' })).toBeVisible()
  await expect(entries.filter({ hasText: 'changed the settings of' })).toBeVisible()
})

test('a freeze has a link to all freezes', { tag: '@long' }, async ({ page, organization }) => {
  const { id } = await organization.api.call('createFreeze', { body: { scope: 'organization', reason: 'A test' } })
  await signIn(page, organization.email, `/freezes/${id}`)
  await page.getByRole('link', { name: 'All freezes' }).click()
  await expect(page.getByRole('region', { name: 'Freezes, active freezes first' })).toBeVisible()
})
