// Long: one test adds 10,000 policies, and one opens pages over a slow network.
import type { Page } from '@playwright/test'
import pg from 'pg'
import { connectEmbedded } from '../../../packages/embedded-postgres/src/connect-embedded.ts'
import { addScene, holdCall } from '../agents-of-tests.ts'
import { expect, type Organization, signIn, test } from '../tenant.ts'

const policies = 10_000

/** Adds policies to an organization, without the API. */
async function addPolicies({ id }: Organization): Promise<void> {
  const database = await connectEmbedded(process.env.MANDATE_BROWSER_DATA as string)
  if (!database) throw new Error('the database of the tests does not run')
  const client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
  await client.query(
    `insert into policies (tenant_id, id, name, version, content_hash, created_at, updated_at)
     select $1::uuid, uuidv7(), 'Desk ' || lpad(n::text, 5, '0'), 1, '', now(), now() from generate_series(1, $2::int) n`,
    [id, policies],
  )
  await client.end()
}

test('one of 10,000 policies is found in the list, and chosen for an agent', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  await addPolicies(organization)
  await signIn(page, organization.email, '/policies')
  await expect(page.getByText('10,000 policies decide')).toBeVisible()
  await page.getByRole('searchbox').fill('09876')
  await expect(page.getByRole('row', { name: /Desk 09876/ })).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(2)
  await page.goto('/agents')
  await page.getByRole('button', { name: 'Register agent' }).first().click()
  const form = page.getByRole('dialog', { name: 'Register an agent' })
  await form.getByLabel('Name').fill('invoice-matcher')
  // It is a short list until the page knows how many policies there are.
  await form.getByRole('combobox', { name: 'Policy' }).and(page.locator('input')).fill('09876')
  await page.getByRole('option', { name: 'Desk 09876, version 1' }).click()
  await form.getByRole('button', { name: 'Register agent' }).click()
  await expect(page.getByRole('dialog', { name: 'The key of invoice-matcher' })).toBeVisible()
  const { data } = await organization.api.call('listAgents')
  expect(data[0]?.policy?.name).toBe('Desk 09876')
})

test('an approval with the most arguments that an edge sends stays readable', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const scene = { ...(await addScene(organization)), api: organization.api }
  const args = { amount: 48_900, note: `${'line of a letter\n'.repeat(500)}end`.padEnd(16_300, '.').slice(0, 16_300) }
  expect(JSON.stringify(args).length).toBeGreaterThan(16_384)
  const fitting = { ...args, note: args.note.slice(0, 15_000) }
  await holdCall(scene, fitting)
  await signIn(page, organization.email, '/approvals')
  const call = page.getByRole('article')
  await expect(call.getByRole('button', { name: /^Show all 1\d,\d{3}.characters$/ })).toBeVisible()
  await expect(call.getByRole('button', { name: 'Approve' })).toBeVisible()
  await call.getByRole('button', { name: /^Show all/ }).click()
  await expect(call.getByText('the rule asks: above 20000')).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1280)
})

/** Makes the network as slow as a phone in a train. */
async function slowNetwork(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: 200_000,
    uploadThroughput: 50_000,
  })
}

interface Shift {
  value: number
  nodes: string[]
}

/** Collects how much the parts of the page jump. */
const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    const shifts: Shift[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number
        hadRecentInput: boolean
        sources: { node: Node | null }[]
      })[])
        if (!entry.hadRecentInput) {
          const nodes = entry.sources.map(({ node }) => (node as Element | null)?.outerHTML?.slice(0, 80) ?? '')
          shifts.push({ value: entry.value, nodes })
        }
    }).observe({ type: 'layout-shift', buffered: true })
  })

/** Notes that a part of the page was loading, even if it was short. A test on a busy machine would not always see it. */
const watchLoading = (page: Page) =>
  page.addInitScript(() => {
    new MutationObserver(() => {
      if (document.querySelector('main [aria-busy="true"]')) Object.assign(window, { wasLoading: true })
    }).observe(document, { childList: true, subtree: true, attributes: true })
  })

/** A sum under this is good for readers: https://web.dev/articles/cls */
const mostShift = 0.1
const pages = ['/agents', '/approvals', '/policies', '/findings', '/decisions', '/team', '/audit']

test('on a slow network pages show that they load, and do not jump', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const scene = { ...(await addScene(organization)), api: organization.api }
  await holdCall(scene, { amount: 48_900 })
  await watchShifts(page)
  await watchLoading(page)
  await signIn(page, organization.email)
  await slowNetwork(page)
  await page.goto('/')
  for (const address of ['/', ...pages, `/agents/${scene.agent.id}`, `/policies/${scene.policy.id}`]) {
    if (address !== '/') {
      await page.evaluate((to) => {
        Object.assign(window, { wasLoading: false })
        history.pushState({}, '', to)
      }, address)
    }
    await expect.poll(() => page.evaluate(() => 'wasLoading' in window && window.wasLoading), address).toBe(true)
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    const shifts = await page.evaluate(() => (window as unknown as { shifts: Shift[] }).shifts.splice(0))
    const sum = shifts.reduce((total, { value }) => total + value, 0)
    expect.soft(sum, `${address} ${JSON.stringify(shifts)}`).toBeLessThan(mostShift)
  }
})
