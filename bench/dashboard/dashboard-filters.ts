import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { median } from '../servers/real-server.ts'
import type { Found, PageProbe } from './dashboard-page.ts'

declare const probe: PageProbe

/** Opens the agent list, and waits until its rows and the counts of its filters are there. */
export async function openAgents(page: Page): Promise<void> {
  await page.goto('/agents')
  await page.locator('table[aria-label="Agents"] th[scope="row"]').first().waitFor()
  // The live stream stays open, so the network is never idle for long.
  await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {})
  await pause(1_000)
}

interface Step {
  name: string
  act: (page: Page) => Promise<void>
}

const choose = (label: string, option: RegExp): Step => ({
  name: `${label}: ${option.source}`,
  async act(page) {
    await page.getByRole('button', { name: new RegExp(`^${label}:`) }).click()
    await page.getByRole('menuitemradio', { name: option }).click()
  },
})
const search = (text: string): Step => ({
  name: `name: ${text}`,
  act: (page) => page.getByRole('searchbox', { name: 'Name' }).fill(text),
})

const steps: readonly Step[] = [
  choose('Environment', /Usual/),
  choose('Drift', /^Drift/),
  choose('Lifecycle', /Blocked/),
  choose('Coverage', /Covered/),
  choose('Coverage', /Observed/),
  choose('Order', /By name/),
  choose('Order', /Latest heartbeat first/),
  search('panda'),
  search('zebra'),
]

/** Measures the time from each filter to the first row that it shows. */
export async function measureFilters(page: Page, rounds: number): Promise<void> {
  console.log('\nFrom a filter to the first row, milliseconds, median and worst')
  console.log('| filter | whole | of it requests | beyond the requests | worst |\n|---|---|---|---|---|')
  for (const { name, act } of steps) {
    const times: Found[] = []
    for (let round = 0; round < rounds; round++) {
      await openAgents(page)
      await page.evaluate(() => probe.beforeFilter())
      await act(page)
      times.push(await page.evaluate(() => probe.firstRow()))
    }
    const beyond = times.map(({ totalMs, apiMs }) => totalMs - apiMs)
    const whole = times.map(({ totalMs }) => totalMs)
    const ofApi = times.map(({ apiMs }) => apiMs)
    const cells = [median(whole), median(ofApi), median(beyond), Math.max(...beyond)]
    console.log(`| ${[name, ...cells.map((ms) => Math.round(ms))].join(' | ')} |`)
  }
}
