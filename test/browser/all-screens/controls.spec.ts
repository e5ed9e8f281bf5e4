// Long: it follows every link and presses every button of every page, as each person.
import { expect, type Locator, type Page } from '@playwright/test'
import { dashboardPaths } from '../../../packages/contract/src/words/dashboard-paths.ts'
import { serverUrl } from '../tenant.ts'
import { Visitor } from '../visit.ts'
import { type Person, persons, test, views } from '../world.ts'

/** These end the session, or change something on the server without a question. */
const left = /^(Sign out|Sync now|Hide the checklist|Verify|Send again)\b/

/** The server refuses these on purpose: a form that is sent empty, a new rule without a tool, and objects that some people do not see. */
const isExpected = (person: Person, doing: string, fault: string) =>
  (doing.endsWith('Add rule') && fault === '400 POST /api/v1/policies/validate') ||
  (doing === 'Change password' && fault === '400 POST /api/v1/auth/password/change') ||
  (isNarrowed.test(person) && /^404 GET \/api\/v1\/[a-z-]+\/[^/]+$/.test(fault))

const isNarrowed = /^(limited|blind) |learner$/

/** Counts the changes of the page, but not those that only show where the pointer and the focus are. */
function watchPage(): void {
  const watched = window as unknown as { changes: number }
  watched.changes = 0
  const isOfPointer = (name: string | null) =>
    /^(data-(pressed|hovered|focus.*|rac)|tabindex|class|style)$/.test(name ?? '')
  new MutationObserver((records) => {
    watched.changes += records.filter(({ attributeName }) => !isOfPointer(attributeName)).length
  }).observe(document.documentElement, { subtree: true, childList: true, attributes: true, characterData: true })
  window.print = () => void watched.changes++
}

const changesOf = (page: Page) => page.evaluate(() => (window as unknown as { changes: number }).changes)
const nameOf = async (button: Locator) =>
  (await button.getAttribute('aria-label')) ?? (await button.innerText()).replaceAll(/\s+/g, ' ').trim()
/** The heading of the part of the page that the button is in. */
const partOf = (button: Locator) =>
  button.evaluate((element) => element.closest('section, form, article')?.querySelector('h2, h3')?.textContent ?? '')

/** Notes if nothing has the focus, or if nothing has it after Escape closed what is open. Someone without a pointer would start again at the top of the page. */
async function expectFocus(page: Page, doing: string, wrong: string[]): Promise<void> {
  const isLost = () => page.evaluate(() => document.activeElement === null || document.activeElement === document.body)
  const note = (when: string) => () => void wrong.push(`${doing} loses the focus${when}`)
  await expect.poll(isLost, { timeout: 2_000 }).toBe(false).catch(note(''))
  const open = page.getByRole('dialog').or(page.getByRole('alertdialog')).or(page.getByRole('menu'))
  if ((await open.count()) === 0) return
  await page.keyboard.press('Escape')
  await expect.poll(isLost, { timeout: 2_000 }).toBe(false).catch(note(' when it is closed'))
}

/** A link to an object, without the object: `/agents/{id}?tab=reach`. Of the values of filters, only ids are left out. */
const kindOf = (href: string) => href.replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '{id}')

for (const person of persons) {
  test(`${person}: each link of each page opens a page that exists, without a fault`, { tag: '@long' }, async ({
    browser,
    world,
  }) => {
    test.setTimeout(600_000)
    const page = await browser.newPage({ baseURL: serverUrl(), reducedMotion: 'reduce' })
    const visitor = new Visitor(page)
    await visitor.signIn(world.people[person], world.password)
    const seen = new Set<string>()
    const waiting = ['/']
    const wrong: string[] = []
    for (let href = waiting.pop(); href !== undefined; href = waiting.pop()) {
      if ((await visitor.visit(href)) === 'No such page') wrong.push(`${href} does not exist`)
      const faults = visitor.takeFaults().filter((fault) => !isExpected(person, href, fault))
      wrong.push(...faults.map((fault) => `${href}: ${fault}`))
      const found = await page
        .locator('a[href^="/"]')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href') as string))
      for (const next of found) {
        if (seen.has(kindOf(next)) || /^\/(api|docs|files)\b/.test(next)) continue
        seen.add(kindOf(next))
        waiting.push(next)
      }
    }
    await page.close()
    expect(wrong).toEqual([])
    expect(seen.size).toBeGreaterThan(person === 'learner' ? 0 : 20)
  })

  test(`${person}: each button of each page changes or opens something, or says why it cannot`, {
    tag: '@long',
  }, async ({ browser, world }) => {
    test.setTimeout(600_000)
    const page = await browser.newPage({ baseURL: serverUrl(), reducedMotion: 'reduce' })
    // A countdown that goes on is not the effect of a button.
    await page.clock.setFixedTime(Date.now())
    const visitor = new Visitor(page)
    await visitor.signIn(world.people[person], world.password)
    expect(visitor.takeFaults()).toEqual([])
    await page.evaluate(watchPage)
    const isByKeyboard = person === 'owner'
    const wrong: string[] = []
    let downloads = 0
    page.on('download', () => downloads++)
    for (const [path, view] of dashboardPaths.flatMap((path) =>
      ['', ...(views[path] ?? [])].map((view) => [path, view] as const),
    )) {
      const address = (world.addresses[path] ?? path) + view
      if (
        [
          '/sign-in',
          '/sign-in/complete',
          '/register',
          '/join',
          '/forgot-password',
          '/reset-password',
          '/verify-email',
        ].includes(path)
      )
        continue
      const noteFaults = (doing: string) => {
        const faults = visitor.takeFaults().filter((fault) => !isExpected(person, doing, fault))
        wrong.push(...faults.map((fault) => `${address}: ${doing}: ${fault}`))
      }
      await visitor.visit(address)
      noteFaults('opening the page')
      const buttons = page.locator('main').getByRole('button')
      const count = await buttons.count()
      const pressed = new Set<string>()
      for (let at = 0; at < count; at++) {
        const button = buttons.nth(at)
        if (!(await button.isVisible().catch(() => false))) continue
        const name = await nameOf(button)
        // Rows have the same buttons.
        const text = (await button.innerText()).trim() || name.split(' ').slice(0, 2).join(' ')
        const kind = `${await partOf(button)}: ${text}`
        if (pressed.has(kind)) continue
        pressed.add(kind)
        // What is chosen already cannot change anything.
        if ((await button.getAttribute('aria-pressed')) === 'true') continue
        if ((await button.getAttribute('aria-disabled')) === 'true') {
          // The reason is beside the button, or in its description.
          await expect(button)
            .toHaveAccessibleDescription(/\S/, { timeout: 2_000 })
            .catch(() => wrong.push(`${address}: ${name} gives no reason`))
          continue
        }
        if (left.test(name)) continue
        const before = { changes: await changesOf(page), downloads, url: page.url() }
        if (isByKeyboard) {
          await button.focus()
          await page.keyboard.press('Enter')
        } else await button.click()
        const hasEffect = async () =>
          (await changesOf(page)) > before.changes || downloads > before.downloads || page.url() !== before.url
        await expect
          .poll(hasEffect, { timeout: 2_000 })
          .toBe(true)
          .catch(() => wrong.push(`${address}: ${name} does nothing`))
        await visitor.settle()
        if (isByKeyboard) await expectFocus(page, `${address}: ${name}`, wrong)
        noteFaults(name)
        await visitor.visit('/')
        await visitor.visit(address)
        noteFaults(`opening the page again after ${name}`)
        await expect(buttons.nth(count - 1), `${address}: a button is gone after ${name}`).toBeAttached()
      }
    }
    await page.close()
    expect(wrong).toEqual([])
  })
}
