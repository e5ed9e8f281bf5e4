// All lists but one are long: their tests choose an option of every filter, and open the address in a second tab.
import { expect, type Page } from '@playwright/test'
import { serverUrl } from '../tenant.ts'
import { unknownFilters, Visitor } from '../visit.ts'
import { test as base } from '../world.ts'

const lists = [
  '/agents',
  '/team',
  '/policies',
  '/edges',
  '/audit',
  '/reviews',
  '/findings',
  '/tools',
  '/decisions',
  '/keys',
] as const

/** The owner's browser. The tests of one worker share it. */
const test = base.extend<Record<never, never>, { visitor: Visitor }>({
  visitor: [
    async ({ browser, world }, use) => {
      const context = await browser.newContext({ baseURL: serverUrl(), reducedMotion: 'reduce' })
      const visitor = new Visitor(await context.newPage())
      await visitor.signIn(world.people.owner, world.password)
      await use(visitor)
      await context.close()
    },
    { scope: 'worker' },
  ],
})

const filtersOf = (page: Page) => page.getByRole('search').getByRole('button', { name: /^[^:]+: / })
/** What the person sees of the list, without the words of times that pass and without the number that a new audit entry gets. */
const rowsOf = async (page: Page) =>
  (await page.locator('main').getByRole('row').or(page.locator('main li')).allInnerTexts()).map((text) =>
    text
      .replaceAll(/\b(now|\d+ (s|min|h) ago|in \d+ (s|min|h)|\d+ \w+ \d{4}, [\d:]+ UTC)\b/g, '')
      .replace(/\t(–|\d+)\t*$/, ''),
  )

/** Expects the rows of before. A job may have added a few since then, which move the last ones to the next page. */
async function expectRows(page: Page, before: readonly string[], when: string): Promise<void> {
  const rows = await rowsOf(page)
  const old = rows.filter((row) => before.includes(row))
  expect(old, when).toEqual(before.slice(0, old.length))
  expect(old.length, when).toBeGreaterThanOrEqual(before.length / 2)
  expect(rows.length, when).toBeGreaterThanOrEqual(before.length)
}

for (const path of lists) {
  const title = `${path}: each filter is in the address, which shows the same rows after a reload, in another tab and after Back`
  test(title, { tag: path === '/audit' ? [] : '@long' }, async ({ visitor }) => {
    const { page } = visitor
    await visitor.visit(path)
    const names = await filtersOf(page).evaluateAll((buttons) =>
      buttons.map((button) => button.getAttribute('aria-label') ?? ''),
    )
    expect(names.length).toBeGreaterThan(0)
    const all = await rowsOf(page)
    const second = new Visitor(await page.context().newPage())
    const other = second.page
    let tried = 0
    for (const name of names) {
      const more = page.getByRole('button', { name: 'More', exact: true })
      if (!(await page.getByRole('button', { name, exact: true }).isVisible())) await more.click()
      await page.getByRole('button', { name, exact: true }).click()
      const options = page.getByRole('menuitemradio')
      // The first option removes the filter. A menu with a search has no such option. The options may come with an answer of the server.
      await expect(page.getByRole('menu')).toBeVisible()
      await visitor.settle()
      const find = page.getByRole('menu').locator('..').getByRole('searchbox')
      const first = (await find.count()) > 0 ? 0 : 1
      if ((await options.count()) <= first) {
        await page.keyboard.press('Escape')
        continue
      }
      tried++
      const option = await options.nth(first).locator(':scope > :first-child').innerText()
      // A period also says when it began.
      const chosen = { name: `${name.slice(0, name.indexOf(':'))}: ${option}` }
      await options.nth(first).click()
      await visitor.settle()
      await expect(page.getByRole('button', chosen)).toBeVisible()
      const { search } = new URL(page.url())
      expect(search, name).not.toBe('')
      const rows = await rowsOf(page)
      await page.reload()
      await visitor.settle()
      await expect(page.getByRole('button', chosen)).toBeVisible()
      await expectRows(page, rows, `${name}, after a reload`)
      await other.goto(path + search)
      await second.settle()
      await expect(other.getByRole('button', chosen)).toBeVisible()
      await expectRows(other, rows, `${name}, in another tab`)
      await page.goBack()
      await visitor.settle()
      expect(new URL(page.url()).search, `${name}, after Back`).toBe('')
      await expectRows(page, all, `${name}, after Back`)
      expect([...visitor.takeFaults(), ...second.takeFaults()], name).toEqual([])
    }
    await other.close()
    expect(tried).toBeGreaterThan(0)
  })
}

/** A menu may have one option for each person or kind of event. */
const mostOptions = 12

for (const path of lists) {
  test(`${path}: each option of each filter shows rows, or a sentence that no row matches`, { tag: '@long' }, async ({
    visitor,
  }) => {
    test.setTimeout(240_000)
    const { page } = visitor
    const options = page.getByRole('menuitemradio')
    const openFilter = async (name: string) => {
      await visitor.visit('/help')
      await visitor.visit(path)
      const more = page.getByRole('button', { name: 'More', exact: true })
      if (!(await page.getByRole('button', { name, exact: true }).isVisible())) await more.click()
      await page.getByRole('button', { name, exact: true }).click()
      await expect(page.getByRole('menu')).toBeVisible()
      await visitor.settle()
      return Math.min(await options.count(), mostOptions)
    }
    await visitor.visit(path)
    const names = await filtersOf(page).evaluateAll((buttons) =>
      buttons.map((button) => button.getAttribute('aria-label') ?? ''),
    )
    let tried = 0
    for (const name of names) {
      const count = await openFilter(name)
      await page.keyboard.press('Escape')
      for (let at = 0; at < count; at++) {
        await openFilter(name)
        const option = await options.nth(at).locator(':scope > :first-child').innerText()
        const chosen = `${name.slice(0, name.indexOf(':'))}: ${option}`
        // It opens a dialog.
        if (option.endsWith('…')) {
          await page.keyboard.press('Escape')
          continue
        }
        await options.nth(at).click()
        await visitor.settle()
        await expect(page.getByRole('search').getByRole('button', { name: chosen }).first()).toBeVisible()
        if ((await rowsOf(page)).length === 0)
          expect(await page.locator('main').innerText(), chosen).toMatch(/\b(no|nothing|nobody|none)\b/i)
        expect(visitor.takeFaults(), chosen).toEqual([])
        tried++
      }
    }
    expect(tried).toBeGreaterThan(1)
  })
}

test('a list without a match says which filter excludes the rows, offers to leave out each, and keeps the focus on the page', async ({
  visitor,
}) => {
  const { page } = visitor
  await visitor.visit('/agents?search=triage&lifecycle_status=retired')
  await expect(page.getByText(/^No agent matches: “triage” in the name, /)).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'excludes the rows' })).toHaveText(
    'The filter Lifecycle Retired excludes the rows: without it, some match.',
  )
  await page.getByRole('button', { name: 'Without Lifecycle Retired' }).click()
  await expect(page.getByRole('link', { name: 'support-triage' })).toBeVisible()
  expect(new URL(page.url()).search).toBe('?search=triage')
  const heading = page.getByRole('heading', { level: 1 })
  await expect(heading).toBeFocused()
  await page.goBack()
  await page.getByRole('button', { name: 'Without “triage” in the name' }).click()
  await expect(page).toHaveURL('/agents?lifecycle_status=retired')
  await expect(heading).toBeFocused()
  await page.goBack()
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('triage')
  await page.getByRole('button', { name: 'Clear Lifecycle' }).click()
  await expect(page).toHaveURL('/agents?search=triage')
  await expect(heading).toBeFocused()
  await page.goBack()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await expect(page).toHaveURL('/agents')
  await expect(heading).toBeFocused()
})

/** Filters that nothing has together, and the one without which there are rows. */
const emptied: Record<string, string> = {
  '/team?search=Dahl&second_factor=own': 'The filter Second factor',
  '/policies?search=no+such+rule&environment_id=PRODUCTION': 'The filter “no such rule” in the name',
  '/edges?silent=true&environment_id=PRODUCTION': 'The filter State Silent',
  '/reviews?status=pending&kind=attestation': 'The filter Kind',
  '/findings?status=open&type=decision_gap&severity=low': 'The filter Severity',
  '/tools?search=refund&state=blocked': 'The filter State',
  '/decisions?effect=allow&tool=mcp%3Acrm%2Fdelete-account': 'Each of these filters',
  '/keys?state=revoked&older_days=90': 'The filter Older than 90 days',
  '/audit?event_type=policy.created&since=today&actor_id=00000000-0000-7000-8000-000000000000':
    'The filter Person of the link',
}

for (const [address, text] of Object.entries(emptied)) {
  test(`${address.split('?')[0]}: an emptied list says which filter excludes the rows`, { tag: '@long' }, async ({
    visitor,
    world,
  }) => {
    await visitor.visit(address.replace('PRODUCTION', world.environments.production))
    await expect(visitor.page.getByRole('status').filter({ hasText: /exclude/ })).toContainText(text)
  })
}

test('a filter that the page does not have is named', async ({ visitor }) => {
  const { page } = visitor
  await page.goto('/agents?lifecyle_status=blocked&drift=true&sort=')
  await expect(unknownFilters(page)).toHaveText(/without it: lifecyle_status$/)
  await page.goto('/agents?drift=true')
  await expect(page.getByRole('button', { name: 'Drift: Drift' })).toBeVisible()
  await expect(unknownFilters(page)).toHaveCount(0)
})
