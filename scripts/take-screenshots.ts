import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, expect, type Page } from '@playwright/test'
import config from '../playwright.config.ts'
import { agentId, holdCalls } from '../test/browser/grown/events.ts'
import { type GrownOrganization, growOrganization } from '../test/browser/grown/grow-organization.ts'
import { doors, type Screen, screensOf } from '../test/browser/grown/screens.ts'
import { settle } from '../test/browser/settle.ts'
import { Shell } from '../test/browser/shell.ts'
import { startServer } from '../test/browser/start-server.ts'
import { signIn } from '../test/browser/tenant.ts'
import { byMouse } from '../test/browser/way/hands.ts'
import { way } from '../test/browser/way/walk.ts'
import { Camera, documentPage } from './screenshots/camera.ts'

// Takes pictures of every screen of the dashboard, in both themes, from the real product. It walks the way of a new person, and then fills a
// second organization. Usage: npm run screenshots -- [folder] [names of screens, separated by commas]. Without names it also writes docs/images.

const docsFolder = join(import.meta.dirname, '../docs/images')
const wide = [768, 1280, 1920]
const narrow = [360]
// Signing in needs the sidebar, so the window of the phone is narrow only for its pictures.
const phone: BrowserContextOptions = { viewport: { width: 1280, height: 900 }, hasTouch: true, isMobile: true }
const desk: BrowserContextOptions = { viewport: { width: 1280, height: 900 } }

const folder = resolve(process.argv[2] ?? (await mkdtemp(join(tmpdir(), 'mandate-screenshots-'))))
const only = process.argv[3]?.split(',')
const say = (text: string) => void process.stdout.write(`${text}\n`)
const camera = new Camera(folder)

say('the server, with its database in a temporary folder')
const server = await startServer({ MANDATE_HEARTBEAT_SECONDS: '3' })
process.env.MANDATE_BROWSER_URL = server.url
process.env.MANDATE_BROWSER_DATA = server.folder
const browser = await chromium.launch(config.use?.launchOptions)
try {
  if (!only || only.includes('new')) await walkTheWay(browser)
  if (!only || only.some((name) => name !== 'new')) await takeGrown(browser, await growOrganization(server, say))
  say(`${camera.count} pictures are in ${folder}`)
} finally {
  await browser.close()
  await server.stop()
}

async function open(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ baseURL: server.url, locale: 'en-GB', ...options })
  return await context.newPage()
}

/** Walks the whole way as a new person. Each step is a picture, and then each page of the organization that has little data. */
async function walkTheWay(browser: Browser): Promise<void> {
  const shell = await Shell.open()
  const page = await open(browser, desk)
  try {
    for (const [index, { name, take }] of way.entries()) {
      say(`as a new person: ${name}`)
      await take({ hands: byMouse(page), shell })
      await camera.take(page, `new-${index + 1}-${name.toLowerCase().replaceAll(' ', '-')}`, [...narrow, ...wide])
    }
    for (const path of [
      '/',
      '/approvals',
      '/agents',
      '/edges',
      '/policies',
      '/decisions',
      '/reports',
      '/team',
      '/keys',
      '/reviews',
      '/findings',
      '/freezes',
      '/audit',
      '/settings',
    ])
      await takeScreen(page, { name: `new${path.replaceAll('/', '-')}`, path }, [...narrow, ...wide])
  } finally {
    await shell.close()
    await page.context().close()
  }
}

/** Takes every screen of the organization with much data, and the pictures of the documentation. */
async function takeGrown(browser: Browser, grown: GrownOrganization): Promise<void> {
  try {
    const isWanted = ({ name }: Screen) => !only || only.includes(name)
    await takeAll(browser, doors(grown).filter(isWanted))
    await holdCalls(grown)
    await takeAll(browser, (await screensOf(grown)).filter(isWanted), grown.organization.email)
    if (!only || only.includes('freeze')) await takeFreeze(browser, grown)
  } finally {
    await grown.stop()
  }
}

async function takeAll(browser: Browser, screens: readonly Screen[], email?: string): Promise<void> {
  for (const [options, widths] of [
    [desk, wide],
    [phone, narrow],
  ] as const) {
    const page = await open(browser, options)
    if (email) await signIn(page, email)
    for (const screen of screens) {
      await takeScreen(page, screen, widths)
      if (screen.isDocumented && !only && widths === wide) await documentPage(browser, page, screen.name, docsFolder)
    }
    await page.context().close()
  }
}

async function takeScreen(page: Page, { name, path, act }: Screen, widths: readonly number[]): Promise<void> {
  say(`${name}: ${path}`)
  try {
    await page.goto(path)
    await settle(page)
    await act?.(page)
    await camera.take(page, name, widths)
  } catch (error) {
    // The other pictures are still useful.
    say(`${name} failed: ${(error as Error).message}`)
    process.exitCode = 1
  }
}

/** Freezes production, and shows which edges confirmed. */
async function takeFreeze(browser: Browser, grown: GrownOrganization): Promise<void> {
  const { api, email } = grown.organization
  const { id } = await api.call('createFreeze', {
    body: {
      scope: 'environment',
      environment_id: grown.fleet.environments.production,
      reason: 'Stock writes in hall 1 and 2, cause unknown.',
    },
  })
  const edge = grown.edges.get('cloud-1')?.edge
  await expect
    .poll(async () => (await edge?.decide(agentId(grown, 'support-triage'), { tool: 'mcp:crm/get-order' }))?.verdict)
    .toBe('deny')
  await takeAll(
    browser,
    [
      { name: 'freeze', path: `/freezes/${id}`, isDocumented: true },
      { name: 'overview-frozen', path: '/' },
    ],
    email,
  )
  await api.call('liftFreeze', { path: { freeze_id: id }, body: { reason: 'The cause is fixed' } })
}
