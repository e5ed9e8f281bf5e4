import { expect, type Locator, type Page } from '@playwright/test'

/** How a person uses the pages: by mouse, or by keyboard alone. */
export interface Hands {
  readonly page: Page
  /** Presses a button, or follows a link. */
  press(target: Locator): Promise<void>
  /** Replaces the text of a field. */
  write(field: Locator, text: string): Promise<void>
  /** Opens a page of the sidebar by its name. */
  open(name: string): Promise<void>
}

/** Points and clicks. Only text is typed. */
export function byMouse(page: Page): Hands {
  const press = (target: Locator) => target.click()
  return {
    page,
    press,
    async write(field, text) {
      await press(field)
      await replaceText(page, text)
    },
    open: (name) => press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })),
  }
}

/** Moves the focus with Tab, and never uses the mouse. Pages are found with Ctrl K. */
export function byKeyboard(page: Page): Hands {
  let isFirst = true
  /** Fails if the action before lost the focus. Tab would then start at the beginning of the page. */
  const expectFocus = async () => {
    const focused = () => page.evaluate(() => document.activeElement?.tagName)
    if (!isFirst) await expect.poll(focused, 'the element with the focus').not.toBe('BODY')
    isFirst = false
  }
  return {
    page,
    async press(target) {
      await expectFocus()
      await tabTo(page, target)
      await page.keyboard.press('Enter')
    },
    async write(field, text) {
      await expectFocus()
      await tabTo(page, field)
      await replaceText(page, text)
    },
    async open(name) {
      await expectFocus()
      await page.keyboard.press('Control+k')
      const palette = page.getByRole('dialog', { name: 'Find' })
      await expect(palette.getByRole('searchbox')).toBeFocused()
      await page.keyboard.type(name)
      const item = palette.getByRole('menuitem', { name: new RegExp(`^${name}`) })
      await expect(item).toHaveCount(1)
      for (let presses = 0; presses < mostPresses && (await item.getAttribute('data-focused')) === null; presses++)
        await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await expect(palette).toHaveCount(0)
    },
  }
}

const mostPresses = 150

/** Presses Tab until an element has the focus. @throws Error if Tab does not lead there */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  const isFocused = () => target.evaluate((element) => element === element.ownerDocument.activeElement)
  for (let presses = 0; presses < mostPresses; presses++) {
    if (await isFocused()) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${target}`)
}

async function replaceText(page: Page, text: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(text)
}
