import { expect, type Page } from '@playwright/test'

/** Waits until the page has its name, no part of it is loading, and its fonts are there. */
export async function settle(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).not.toBeEmpty()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await page.evaluate(async () => {
    await document.fonts.ready
  })
}

/** By how many pixels a page is wider than its window. A phone would show it smaller. */
export const overflowOf = (page: Page) =>
  page.evaluate(() => Math.max(document.documentElement.scrollWidth, innerWidth) - document.documentElement.clientWidth)
