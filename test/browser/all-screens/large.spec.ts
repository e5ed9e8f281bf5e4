// Long: fills an organization with thousands of rows of each kind, and reads every list of it.
import type { Page } from '@playwright/test'
import { largeOrganization, type Sizes } from '../large-organization.ts'
import { usePlan } from '../plan.ts'
import { expect, signIn, test } from '../tenant.ts'
import { Visitor } from '../visit.ts'

const sizes: Sizes = {
  agents: 10_000,
  policies: 1_000,
  decisions: 100_000,
  entries: 100_000,
  people: 500,
  edges: 300,
  others: 500,
}

/** Requests that one page may send until it is complete. */
const mostRequests = 20
/** The largest layout shift of a page while it is read. https://web.dev/articles/cls rates it as good. */
const mostShift = 0.1

interface List {
  /** A filter, and a value that some rows have. */
  filter?: [label: string, option: RegExp]
  /** The name of the filter that has the order, and an order. */
  order?: [label: string, option: RegExp]
  /** The first rows, also of the filtered list. */
  row: RegExp
  /** True if the list continues while the reader scrolls. */
  isEndless?: boolean
}

const lists: Record<string, List> = {
  '/agents': { filter: ['Lifecycle', /Proposed/], order: ['Order', /By name/], row: /agent \d+/, isEndless: true },
  '/policies': { order: ['Order', /by name/], row: /Desk \d+/ },
  '/decisions': { filter: ['Effect', /^Deny/], row: /mcp:crm\/get/ },
  '/audit': { filter: ['Event', /policies/], row: /Mara Lindqvist/ },
  '/team': { row: /Person \d+/ },
  '/edges': { row: /edge \d+/ },
  '/keys': { row: /key \d+/ },
  '/tools': { row: /mcp:large\/tool-\d+/ },
  '/findings': { filter: ['Severity', /High/], row: /agent \d+/ },
  '/reviews': { filter: ['Kind', /Attestation/], row: /agent \d+/ },
}

test('lists of a large organization page, filter and sort, with few requests and without a jump', {
  tag: '@long',
}, async ({ page }) => {
  test.setTimeout(240_000)
  const organization = await largeOrganization(sizes)
  await page.addInitScript(countShifts)
  await signIn(page, organization.email, '/help')
  const visitor = new Visitor(page)
  let requests = 0
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/')) requests++
  })
  for (const [path, list] of Object.entries(lists)) {
    requests = 0
    await page.evaluate(() => Object.assign(window, { shift: 0 }))
    await visitor.visit(path)
    const shown = rowsOf(page, list.row)
    await expect(shown.first(), path).toBeVisible()
    expect(requests, `requests of ${path}`).toBeLessThanOrEqual(mostRequests)
    expect(await page.evaluate(() => (window as unknown as { shift: number }).shift), path).toBeLessThan(mostShift)
    const before = await shown.count()
    if (list.isEndless) await shown.last().scrollIntoViewIfNeeded()
    else await page.getByRole('button', { name: 'Show more' }).first().click()
    await expect.poll(() => shown.count(), { message: `rows of ${path}` }).toBeGreaterThan(before)
    for (const choice of [list.filter, list.order]) {
      if (!choice) continue
      const [label, option] = choice
      requests = 0
      await page.getByRole('button', { name: new RegExp(`^${label}: `) }).click()
      await page.getByRole('menuitemradio', { name: option }).click()
      await expect.poll(() => new URL(page.url()).search, { message: `${path} ${label}` }).not.toBe('')
      await visitor.settle()
      await expect(shown.first(), `${path} ${label}`).toBeVisible()
      expect(requests, `requests of ${path} ${label}`).toBeLessThanOrEqual(mostRequests)
    }
    expect(visitor.takeFaults(), path).toEqual([])
  }
})

test('the audit trail names and finds a person whom the list of the filter does not have', { tag: '@long' }, async ({
  page,
}) => {
  const none = { agents: 0, policies: 0, decisions: 0, entries: 0, edges: 0, others: 0 }
  const { api, email } = await largeOrganization({ ...none, people: 300 })
  const { data } = await api.call('listUsers', { query: { sort_by: 'name', sort_order: 'desc', limit: 2 } })
  const [last, other] = data
  await signIn(page, email, `/audit?actor_id=${last?.id}`)
  await expect(page.getByRole('button', { name: `Person: ${last?.display_name}` })).toBeVisible()
  await page.getByRole('button', { name: /^Person: / }).click()
  await page.getByRole('searchbox', { name: 'Name of the person' }).fill(other?.display_name as string)
  await page.getByRole('menuitemradio', { name: other?.display_name as string }).click()
  await expect(page).toHaveURL(new RegExp(`actor_id=${other?.id}`))
  await expect(page.getByRole('button', { name: `Person: ${other?.display_name}` })).toBeVisible()
  await page.goto(`/audit?resource_type=user&resource_id=${last?.id}`)
  await expect(page.getByRole('button', { name: `Object: ${last?.display_name}` })).toBeVisible()
})

test('the audit trail of a large organization names a revoked invitation, and does not read its user', {
  tag: '@long',
}, async ({ page }) => {
  const none = { agents: 0, policies: 0, decisions: 0, entries: 0, edges: 0, others: 0 }
  const organization = await largeOrganization({ ...none, people: 300 })
  const { id, api, email } = organization
  await usePlan(organization, 'enterprise')
  const invited = `petra-${id}@norrvik.example`
  await api.call('inviteUser', { path: { id }, body: { email: invited, role: 'member' } })
  const { data } = await api.call('listUsers', { query: { status: 'pending' } })
  await api.call('removeUser', { path: { user_id: data[0]?.id as string } })
  await signIn(page, email, '/audit')
  const visitor = new Visitor(page)
  await page
    .getByRole('row', { name: /withdrew the invitation/ })
    .getByRole('link', { name: invited })
    .click()
  await expect(page.getByRole('button', { name: `Object: ${invited}` })).toBeVisible()
  await visitor.settle()
})

const rowsOf = (page: Page, row: RegExp) =>
  page.locator('main').getByRole('row').or(page.locator('main li')).filter({ hasText: row })

/** Sums how far parts of the page move that the reader did not move. */
function countShifts(): void {
  const counted = window as unknown as { shift: number }
  counted.shift = 0
  new PerformanceObserver((entries) => {
    for (const entry of entries.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
      if (!entry.hadRecentInput) counted.shift += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
}
