import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { overflowOf, settle } from '../../test/browser/settle.ts'
import { encodePalettePng, type Pixels } from './palette-png.ts'

export const themes = ['light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** The least height of a picture by its width. */
const heights: Record<number, number> = { 360: 740, 768: 1024, 1280: 800, 1920: 1000 }

/** The greatest height of a picture. */
const highest = 5000

const heightOf = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight)

/** Waits until the page is complete, and its charts are drawn for the width. */
async function rest(page: Page): Promise<void> {
  await settle(page)
  await page.waitForTimeout(200)
}

/** Takes pictures of pages, and writes them to a folder. */
export class Camera {
  private readonly folder: string
  private taken = 0

  constructor(folder: string) {
    this.folder = folder
  }

  get count(): number {
    return this.taken
  }

  /** Takes the page in both themes at each width. The file of a picture is `name-width-theme.png`. */
  async take(page: Page, name: string, widths: readonly number[]): Promise<void> {
    const before = page.viewportSize()
    await mkdir(this.folder, { recursive: true })
    for (const width of widths) {
      // A window as high as the page: lists then show all rows, and nothing is stitched together.
      await page.setViewportSize({ width, height: heights[width] ?? 900 })
      await rest(page)
      await page.setViewportSize({ width, height: Math.min(highest, await heightOf(page)) })
      const overflow = await overflowOf(page)
      if (overflow > 0) throw new Error(`at ${width} px the page is ${overflow} px too wide`)
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await rest(page)
        const path = join(this.folder, `${name}-${width}-${colorScheme}.png`)
        await page.screenshot({ path, animations: 'disabled' })
        this.taken++
      }
    }
    if (before) await page.setViewportSize(before)
  }
}

/** The size of a picture of the documentation, in pixels. */
const documented = { width: 1280, height: 860 }

/** Writes a picture of the documentation for each theme: `name-theme.png`. */
export async function documentPage(browser: Browser, page: Page, name: string, folder: string): Promise<void> {
  await page.setViewportSize(documented)
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await rest(page)
    const png = await page.screenshot({ animations: 'disabled' })
    await writeFile(join(folder, `${name}-${colorScheme}.png`), encodePalettePng(await pixelsOf(browser, png)))
  }
}

/** Reads the pixels of a PNG. Chromium does it, so this needs no library. */
async function pixelsOf(browser: Browser, png: Buffer): Promise<Pixels> {
  const page = await browser.newPage()
  const { width, height, text } = await page.evaluate(async (data) => {
    const image = new Image()
    image.src = `data:image/png;base64,${data}`
    await image.decode()
    const { width, height } = image
    const canvas = Object.assign(document.createElement('canvas'), { width, height })
    const context = canvas.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D
    context.drawImage(image, 0, 0)
    const bytes = context.getImageData(0, 0, width, height).data
    let text = ''
    for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
    return { width, height, text }
  }, png.toString('base64'))
  await page.close()
  return { width, height, rgba: Buffer.from(text, 'latin1') }
}
