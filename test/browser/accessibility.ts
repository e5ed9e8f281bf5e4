import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import type { AxeResults, RunOptions } from 'axe-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const everything: RunOptions['runOnly'] = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'],
}
/** The rule whose result depends on the theme. */
const coloursOnly: RunOptions['runOnly'] = { type: 'rule', values: ['color-contrast'] }

/** Lists what axe finds wrong on the page by the rules of WCAG 2.2 AA. `only: 'colours'` checks only what a theme changes. */
export async function findViolations(page: Page, { only }: { only?: 'colours' } = {}): Promise<string[]> {
  // The page keeps axe until another document is loaded. The semicolon keeps axe out of the result.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(`${source};0`)
  const runOnly = only === 'colours' ? coloursOnly : everything
  return await page.evaluate(async (runOnly) => {
    const { axe } = window as unknown as { axe: { run: (options: RunOptions) => Promise<AxeResults> } }
    const { violations } = await axe.run({ runOnly, resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)
  }, runOnly)
}

/** Lists what axe finds wrong in both themes. The page stays in the light theme, without motion. */
export async function findViolationsOfThemes(page: Page): Promise<string[]> {
  // During a transition, axe would see colours between two states.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const light = await findViolations(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await findViolations(page, { only: 'colours' })
  await page.emulateMedia({ colorScheme: 'light' })
  return [...light, ...dark.map((text) => `dark theme: ${text}`)]
}

/** By how many pixels the page is wider than the window. */
export const overflowOf = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
