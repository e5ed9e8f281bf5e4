// The test with all views, dialogs, themes and widths of a page is long: it runs axe about 300 times.
import { expect, type Page } from '@playwright/test'
import { dashboardPaths } from '../../../packages/contract/src/words/dashboard-paths.ts'
import { findViolations, findViolationsOfThemes, overflowOf } from '../accessibility.ts'
import { serverUrl } from '../tenant.ts'
import { Visitor } from '../visit.ts'
import { test as base, type Path, views } from '../world.ts'

/** The owner's browser. The tests of one worker share it, and go from page to page in it. */
const test = base.extend<Record<never, never>, { visitor: Visitor }>({
  visitor: [
    async ({ browser, world }, use) => {
      const page = await browser.newPage({
        baseURL: serverUrl(),
        viewport: { width: 1280, height: 900 },
        colorScheme: 'light',
        reducedMotion: 'reduce',
      })
      const visitor = new Visitor(page)
      await visitor.signIn(world.people.owner, world.password)
      await use(visitor)
      await page.close()
    },
    { scope: 'worker' },
  ],
})

/** What is pressed on a page, one after the other, to open a dialog or a menu. `Name=text` fills a field. */
const opened: Partial<Record<Path, string[][]>> = {
  '/': [['Freeze…'], ['Find agents, people, pages Ctrl K'], ['ML, Mara Lindqvist, owner, your menu']],
  '/agents': [['Register agent'], ['Select support-triage', 'Assign policy']],
  '/agents/{id}': [
    ['More'],
    ['Suspend'],
    ['Assign policy'],
    ['More', 'Edit…', 'Add entry'],
    ['More', 'Change lifecycle…'],
    ['More', 'Archive…'],
  ],
  '/policies': [['Create policy']],
  '/policies/{id}': [['Edit Refunds above 200 EUR']],
  '/approvals': [['Approve']],
  '/reviews/{id}': [['Reject']],
  '/findings': [['Accept the gap']],
  '/edges': [['Create edge']],
  '/edges/{id}': [['Revoke']],
  '/tools': [['Select mcp:stripe/refund', 'Pin']],
  '/tools/{id}': [['Pin this definition'], ['Block'], ['More'], ['More', 'Labels…'], ['More', 'Remove the pins…']],
  '/environments': [['Create environment'], ['Edit Spare'], ['More actions for Spare', 'Delete']],
  '/platforms': [['Connect a platform'], ['Disconnect Sales']],
  '/team': [
    ['Invite'],
    ['Invite a learner'],
    ['Change role of Marek Dahl'],
    ['More actions for Marek Dahl'],
    ['More actions for Marek Dahl', 'Grant agents'],
    ['More actions for Marek Dahl', 'Remove'],
    ['Give platform access to Lea Brandt'],
  ],
  '/keys': [
    ['Create key'],
    ['Create key', 'Name=Audit export', 'Create key'],
    ['Revoke Nightly export'],
    ['More actions for Nightly export', 'Rotate key'],
    ['More actions for Nightly export', 'Rotate key', 'Rotate key'],
    ['More actions for Nightly export', 'Change binding'],
  ],
  '/audit': [['Export'], ['Check in this browser']],
  '/reports': [['Create report']],
  '/reports/{id}': [['Share'], ['Delete']],
  '/freezes/{id}': [['Lift the freeze']],
  '/settings': [['Delete the organization']],
}

async function press(page: Page, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const [label = '', text] = name.split('=')
    if (text !== undefined) {
      await page.getByLabel(label, { exact: true }).fill(text)
      continue
    }
    const control = (['button', 'menuitem', 'checkbox'] as const)
      .map((role) => page.getByRole(role, { name, exact: true }))
      .reduce((all, one) => all.or(one))
    // What is behind a dialog cannot be pressed.
    await control.and(page.locator(':not([inert] *)')).first().click()
  }
}

const layers = (page: Page) => page.getByRole('dialog').or(page.getByRole('menu'))

async function closeAll(page: Page): Promise<void> {
  const secret = page.getByRole('button', { name: 'Leave without it' })
  await expect(async () => {
    if (await secret.isVisible()) await secret.click()
    else if ((await layers(page).count()) > 0) await page.keyboard.press('Escape')
    expect(await layers(page).count()).toBe(0)
  }).toPass()
}

for (const path of dashboardPaths) {
  test(`${path} is accessible in the light theme`, async ({ visitor, world }) => {
    const { page } = visitor
    expect(await visitor.visit(world.addresses[path] ?? path)).not.toBe('No such page')
    expect(await findViolations(page)).toEqual([])
    expect(await overflowOf(page)).toBe(0)
    expect(visitor.takeFaults()).toEqual([])
  })
}

for (const path of dashboardPaths) {
  const title = `${path} and its dialogs are accessible in both themes, without sideways scrolling at 360 and 1280`
  test(title, { tag: '@long' }, async ({ visitor, world }) => {
    const { page } = visitor
    const address = world.addresses[path] ?? path
    expect(address, 'the path needs an id: add it to `addObjects`').not.toContain('{')
    const found: Record<string, unknown> = {}
    const note = async (where: string, violations: string[]) => {
      const overflow = await overflowOf(page)
      if (violations.length > 0 || overflow > 0) found[where] = { violations, overflow }
    }
    for (const view of ['', ...(views[path] ?? [])]) {
      const href = address + view
      expect(await visitor.visit(href)).not.toBe('No such page')
      await note(href, await findViolationsOfThemes(page))
      await page.setViewportSize({ width: 360, height: 900 })
      await visitor.settle()
      await note(`${href} at 360`, view === '' ? await findViolations(page) : [])
      await page.setViewportSize({ width: 1280, height: 900 })
    }
    if (opened[path]) await visitor.visit(address)
    for (const names of opened[path] ?? []) {
      await press(page, names)
      await visitor.settle()
      await note(names.join(', '), await findViolationsOfThemes(page))
      await closeAll(page)
    }
    expect(found).toEqual({})
    expect(visitor.takeFaults()).toEqual([])
  })
}
