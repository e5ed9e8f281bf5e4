// Long: it moves the focus through every page.
import { expect, type Page } from '@playwright/test'
import { dashboardPaths } from '../../../packages/contract/src/words/dashboard-paths.ts'
import { overflowOf } from '../settle.ts'
import { serverUrl } from '../tenant.ts'
import { Visitor } from '../visit.ts'
import { type Path, test } from '../world.ts'

/** Their links act when they are opened. */
const acting: readonly Path[] = ['/sign-in/complete', '/verify-email']
/** Tab stops that are looked at on one page. */
const mostStops = 80

/** The element with the focus, if something covers its middle. Null after the last element. */
function coveredFocus(): string | undefined | null {
  const focused = document.activeElement
  if (!focused || focused === document.body) return null
  // A link may have a part in each of two lines.
  const { left, top, width, height } = focused.getClientRects()[0] ?? new DOMRect()
  // A box that is drawn by its label has no size.
  if (width * height < 4) return undefined
  const [x, y] = [left + width / 2, top + Math.min(height / 2, 20)]
  const shown = document.elementFromPoint(x, y)
  if (shown && (focused.contains(shown) || shown.contains(focused))) return undefined
  return `${focused.tagName} ${focused.getAttribute('aria-label') ?? focused.textContent?.trim().slice(0, 40)} is under ${shown?.tagName} ${shown?.className}`
}

test('at 200 % zoom no page scrolls sideways, and nothing covers what has the focus', { tag: '@long' }, async ({
  browser,
  world,
}) => {
  test.setTimeout(600_000)
  // A window of 1280 × 800 pixels at 200 %.
  const viewport = { width: 640, height: 400 }
  const page = await browser.newPage({
    baseURL: serverUrl(),
    reducedMotion: 'reduce',
    viewport,
    deviceScaleFactor: 2,
  })
  const visitor = new Visitor(page)
  await visitor.signIn(world.people.owner, world.password)
  const wrong: string[] = []
  for (const path of dashboardPaths) {
    if (acting.includes(path)) continue
    await visitor.visit(world.addresses[path] ?? path)
    const overflow = await overflowOf(page)
    if (overflow > 0) wrong.push(`${path} is ${overflow} px too wide`)
    for (let stop = 0; stop < mostStops; stop++) {
      await page.keyboard.press('Tab')
      const covered = await page.evaluate(coveredFocus)
      if (covered === null) break
      if (covered) wrong.push(`${path}: ${covered}`)
    }
  }
  await page.close()
  expect(wrong).toEqual([])
})

/** The chosen tabs, links and switches that look like the others beside them. */
function alike(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const marks = ['[aria-current="page"]', '[aria-selected="true"]', '[aria-pressed="true"]']
    const look = (element: Element) =>
      [undefined, '::before', '::after'].map((part) => {
        const style = getComputedStyle(element, part)
        const { color, backgroundColor, border, outline, fontWeight, textDecorationLine, content } = style
        return [color, backgroundColor, border, outline, fontWeight, textDecorationLine, part && content]
      })
    const looks = (element: Element) => JSON.stringify([element, ...element.children].map(look))
    return [...document.querySelectorAll(marks.join())].flatMap((chosen) => {
      if (!chosen.checkVisibility()) return []
      const group = chosen.closest('nav, [role=tablist], [role=group], [role=radiogroup], ul')
      const others = [...(group?.querySelectorAll(chosen.tagName) ?? [])]
      const other = others.find((one) => !one.matches(marks.join()) && one.className === chosen.className)
      return other && looks(other) === looks(chosen) ? [chosen.textContent?.trim() ?? ''] : []
    })
  })
}

test('with forced colours, what is chosen looks different from the rest', { tag: '@long' }, async ({
  browser,
  world,
}) => {
  test.setTimeout(300_000)
  const page = await browser.newPage({ baseURL: serverUrl(), reducedMotion: 'reduce', forcedColors: 'active' })
  const visitor = new Visitor(page)
  await visitor.signIn(world.people.owner, world.password)
  const wrong: Record<string, string[]> = {}
  for (const path of dashboardPaths) {
    if (acting.includes(path)) continue
    await visitor.visit(world.addresses[path] ?? path)
    const found = await alike(page)
    if (found.length > 0) wrong[path] = found
  }
  await page.close()
  expect(wrong).toEqual({})
})
