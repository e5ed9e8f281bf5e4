// Long: it presses every button of every page, as three persons.
import { expect, type Locator, type Page } from '@playwright/test'
import { dashboardPaths } from '../../../packages/contract/src/words/dashboard-paths.ts'
import { serverUrl } from '../tenant.ts'
import { Visitor } from '../visit.ts'
import { type Person, test } from '../world.ts'

/** These end the session, change what the other pages show, or leave the page with a file of the machine. */
const left = /^(Sign out|Suspend|Resume|Sync now|Hide the checklist|Pin this definition|Block|Verify|Retry)\b/

const persons: Person[] = ['owner', 'limited manager', 'viewer']

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

for (const person of persons) {
  test(`${person}: each button of each page changes or opens something, or says why it cannot`, {
    tag: '@long',
  }, async ({ browser, world }) => {
    test.setTimeout(600_000)
    const page = await browser.newPage({ baseURL: serverUrl(), reducedMotion: 'reduce' })
    const visitor = new Visitor(page)
    await visitor.signIn(world.people[person], world.password)
    await page.evaluate(watchPage)
    const dead: string[] = []
    let downloads = 0
    page.on('download', () => downloads++)
    for (const path of dashboardPaths) {
      const address = world.addresses[path] ?? path
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
      await visitor.visit(address)
      const buttons = page.locator('main').getByRole('button')
      const count = await buttons.count()
      const pressed = new Set<string>()
      for (let at = 0; at < count; at++) {
        const button = buttons.nth(at)
        if (!(await button.isVisible().catch(() => false))) continue
        const name = await nameOf(button)
        // Rows have the same buttons.
        const kind = (await button.innerText()).trim() || name.split(' ').slice(0, 2).join(' ')
        if (pressed.has(kind)) continue
        pressed.add(kind)
        // What is chosen already cannot change anything.
        if (left.test(name) || (await button.getAttribute('aria-pressed')) === 'true') continue
        if ((await button.getAttribute('aria-disabled')) === 'true') {
          // The reason is beside the button, or in its description.
          if ((await button.getAttribute('aria-describedby')) === null) dead.push(`${address}: ${name} gives no reason`)
          continue
        }
        const before = { changes: await changesOf(page), downloads, url: page.url() }
        await button.click()
        const hasEffect = async () =>
          (await changesOf(page)) > before.changes || downloads > before.downloads || page.url() !== before.url
        await expect
          .poll(hasEffect, { timeout: 2_000 })
          .toBe(true)
          .catch(() => dead.push(`${address}: ${name}`))
        await visitor.visit('/')
        await visitor.visit(address)
        await buttons.nth(count - 1).waitFor({ state: 'attached' })
      }
    }
    await page.close()
    expect(dead).toEqual([])
  })
}
