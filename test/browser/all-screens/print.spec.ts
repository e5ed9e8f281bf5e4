// Long: it makes PDF files, one of a report with more than 200 agents.
import type { Page } from '@playwright/test'
import { newFleet } from '../fleet.ts'
import { expect, serverUrl, signIn, test } from '../tenant.ts'

const moreThanOnce = 205

/** Lays the page out for paper, and checks what every printed page has in common. */
async function onPaper(page: Page): Promise<void> {
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden()
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toBeHidden()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const colours = await page.getByRole('heading', { level: 1 }).evaluate((heading) => {
    const { backgroundColor } = getComputedStyle(document.body)
    return { ink: getComputedStyle(heading).color, paper: backgroundColor }
  })
  expect(colours).toEqual({ ink: 'rgb(0, 0, 0)', paper: 'rgb(255, 255, 255)' })
}

/** Prints the page, and returns the text that it had on paper. */
async function print(page: Page): Promise<string> {
  await page.evaluate(() =>
    addEventListener('beforeprint', () => document.body.setAttribute('data-printed', document.body.textContent), {
      once: true,
    }),
  )
  expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-')
  return (await page.locator('body').getAttribute('data-printed')) ?? ''
}

test('a report is printed with every row, whole digests, and where it is from', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { api, environments } = organization
  const { id: policy_id, version } = await api.call('createPolicy', { body: { name: 'Payments', rules: [] } })
  const { content_hash: hash } = await api.call('getPolicyVersion', { path: { policy_id, version } })
  const environment_id = environments.development
  for (let made = 0; made < moreThanOnce; made += 41)
    await Promise.all(
      Array.from({ length: 41 }, (_, index) =>
        api.call('createAgent', { body: { name: `agent-${made + index}`, environment_id } }),
      ),
    )
  const { id } = await api.call('createReport', { body: { title: 'Quarterly review' } })
  await signIn(page, organization.email, `/reports/${id}`)
  await expect(page.getByRole('row', { name: /^Payments/ })).toBeVisible()
  const rows = page.getByRole('region', { name: 'Agents', exact: true }).getByRole('row')
  expect(await rows.count()).toBeLessThan(moreThanOnce)
  const printed = await print(page)
  for (let index = 0; index < moreThanOnce; index++) expect(printed).toContain(`agent-${index}`)
  expect(printed).toContain(`${serverUrl()}/reports/${id}`)
  expect(printed).toMatch(/Norrvik Supply\. Printed by Mara Lindqvist, .+ UTC\. Data as of .+ UTC\./)
  await onPaper(page)
  await expect(page.getByText(`sha256:${hash}`)).toBeVisible()
  // The id is a button on the screen, and a text on paper.
  await expect(page.getByRole('button', { name: /^(?!.*copy the id)/ })).toHaveCount(0)
  await expect(page.getByRole('button', { name: /copy the id/ })).toContainText(id)
})

test('the audit trail is printed with its proof and its filters, and without what can only be pressed', {
  tag: '@long',
}, async ({ page, organization }) => {
  await signIn(page, organization.email, '/audit?event_type=tenant.*')
  await expect(page.getByRole('row', { name: /created the organization/ })).toBeVisible()
  const proof = await organization.api.call('getAuditProof')
  await page.reload()
  await expect(page.getByRole('row', { name: /created the organization/ })).toBeVisible()
  await onPaper(page)
  const head = proof.head as NonNullable<typeof proof.head>
  await expect(page.getByRole('region', { name: 'Proof' })).toContainText(head.chain_hash)
  await expect(page.getByText('Entries with Event the organization.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Governance Changes' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'All', exact: true })).toBeHidden()
  for (const name of ['Export', 'Verify', /^Details of entry/, /^Event/])
    await expect(page.getByRole('button', { name })).toHaveCount(0)
})

test('a decision is printed with whole digests and exact times', { tag: '@long' }, async ({ page, organization }) => {
  const { api, environments } = organization
  const fleet = await newFleet(serverUrl(), { api, environments })
  await fleet.edge.record(fleet.call())
  const { data } = await api.call('listDecisions')
  const [decision] = data
  await signIn(page, organization.email, `/decisions/${decision?.decision_id}`)
  await expect(page.getByText('Signature is valid')).toBeVisible()
  await onPaper(page)
  const receipt = page.getByRole('region', { name: 'Receipt' })
  await expect(receipt).toContainText(decision?.receipt?.hash as string)
  await expect(receipt.getByRole('time').or(receipt.locator('time')).first()).toHaveText(/UTC/)
  await expect(page.getByText(/ ago$/).filter({ visible: true })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Download receipt' })).toHaveCount(0)
})
