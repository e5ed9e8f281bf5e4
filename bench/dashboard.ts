// Measures the dashboard in Chromium: `npm run bench:dashboard`. The organization has 250,000 agents (BENCH_AGENTS). Measures the time from a
// filter to the first row of the agent list, the frames while the list scrolls, and the time from a call at an edge until it is visible in an open
// inbox. With BENCH_DATA, the database stays in that folder, and a second run uses it again.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { apiKey, type Client, createClient } from '@mandate/sdk'
import { type Browser, chromium, type Page } from '@playwright/test'
import pg from 'pg'
import { pino } from 'pino'
import { readEdgeConfig } from '../packages/edge/src/config.ts'
import { type Edge, startEdge } from '../packages/edge/src/start-edge.ts'
import playwright from '../playwright.config.ts'
import { measureFilters, openAgents } from './dashboard/dashboard-filters.ts'
import { type Frames, measureInPage, type PageProbe } from './dashboard/dashboard-page.ts'
import { type Fleet, seedFleet } from './seed-fleet.ts'
import { median, quantile, startDatabase, startMandate, untilUp } from './servers/real-server.ts'

declare const probe: PageProbe

const agents = Number(process.env.BENCH_AGENTS ?? 250_000)
const calls = Number(process.env.BENCH_CALLS ?? 40)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
/** Measures only the parts that this names: filters, scrolling or calls. */
const only = process.env.BENCH_ONLY ?? ''
const kept = process.env.BENCH_DATA
const port = 18_084
const url = `http://127.0.0.1:${port}`
const password = 'seven wet goats sing'

const database = await startDatabase({}, undefined, kept)
const fleet = await readFleet()
const server = startMandate(database, port)
let browser: Browser | undefined
try {
  await untilUp(`${url}/readyz`)
  const api = createClient({ url, credential: apiKey(fleet.key) })
  browser = await chromium.launch(playwright.use?.launchOptions)
  const page = await openAs(browser, await addPerson(api))
  console.log(`${agents} agents, load average before: ${loadavg()[0]}`)
  if ('filters'.includes(only)) await measureFilters(page, rounds)
  if ('scrolling'.includes(only)) await measureScrolling(page)
  if ('calls'.includes(only)) await measureHeldCalls(page, api)
  console.log(`load average after: ${loadavg()[0]}`)
} finally {
  await browser?.close()
  server.kill('SIGKILL')
  await database.stop()
}

/** Fills the database, or returns what a kept database was filled with. */
async function readFleet(): Promise<Fleet> {
  const file = kept === undefined ? undefined : join(kept, 'fleet.json')
  if (file && existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  const client = new pg.Client({ connectionString: database.embedded.ownerUrl })
  await client.connect()
  const fleet = await seedFleet(client, agents)
  await client.query('vacuum analyze')
  await client.end()
  if (file) writeFileSync(file, JSON.stringify({ ...fleet, agentIds: [] }))
  return fleet
}

/** Invites an owner and accepts the invitation. Returns the address. */
async function addPerson(api: Client): Promise<string> {
  const email = `bench-${randomUUID()}@example.com`
  await api.call('inviteUser', { path: { id: fleet.tenantId }, body: { email, role: 'owner' } })
  const token = await mailedToken(email)
  await createClient({ url }).call('acceptInvitation', { body: { token, password } })
  return email
}

async function mailedToken(email: string): Promise<string> {
  const folder = join(database.dataDir, 'files/mail')
  for (let tries = 0; tries < 200; tries++) {
    const names = await readdir(folder).catch(() => [])
    for (const name of names.filter((each) => each.includes(email))) {
      const found = /\/join\?token=([\w-]+)/.exec(await readFile(join(folder, name), 'utf8'))?.[1]
      if (found) return found
    }
    await pause(100)
  }
  throw new Error(`no mail to ${email} arrived`)
}

async function openAs(browser: Browser, email: string): Promise<Page> {
  const page = await browser.newPage({ baseURL: url, viewport: { width: 1280, height: 900 } })
  await page.addInitScript(measureInPage)
  await page.goto('/sign-in')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  return page
}

async function measureScrolling(page: Page): Promise<void> {
  console.log('\nFrames while the list scrolls, milliseconds')
  console.log('| scrolling | frames | p50 | p99 | longest | over 50 ms | longest work for a frame over 50 ms |')
  console.log('|---|---|---|---|---|---|---|')
  for (const [name, pixels, everyMs] of [
    ['by 120 pixels', 120, 30],
    ['by 600 pixels', 600, 60],
    ['by 3,000 pixels', 3_000, 300],
  ] as const) {
    await openAgents(page)
    await page.mouse.move(640, 600)
    await page.evaluate(() => probe.startFrames())
    for (const end = Date.now() + 10_000; Date.now() < end; await pause(everyMs)) await page.mouse.wheel(0, pixels)
    const { intervals, longFrames }: Frames = await page.evaluate(() => probe.stopFrames())
    const longest = longFrames.length > 0 ? Math.round(Math.max(...longFrames)) : 'none'
    const times = [median(intervals), quantile(intervals, 0.99), Math.max(...intervals)].map((ms) => ms.toFixed(1))
    const over = intervals.filter((ms) => ms > 50).length
    console.log(`| ${[name, intervals.length, ...times, over, longest].join(' | ')} |`)
  }
}

async function measureHeldCalls(page: Page, api: Client): Promise<void> {
  const state = await mkdtemp(join(tmpdir(), 'mandate-bench-edge-'))
  const { edge, agentId } = await startEdgeOf(api, state)
  await page.goto('/approvals')
  await page.getByText('Live', { exact: true }).waitFor()
  const delays: number[] = []
  for (let n = 0; n < calls; n++) {
    await pause(1_000 + Math.random() * 1_000)
    const tool = `mcp:bench/call-${n}`
    const shown = page.evaluate((text) => probe.rowWith(text), tool)
    const heldAt = Date.now()
    const { verdict } = await edge.guardFor(agentId).decide({ tool, args: { n } })
    if (verdict !== 'require_approval') throw new Error(`the edge decided ${verdict}`)
    delays.push((await shown) - heldAt)
  }
  console.log('\nFrom a call at an edge until it is visible in an open inbox, milliseconds')
  console.log('| calls | p50 | p99 | longest |\n|---|---|---|---|')
  const times = [median(delays), quantile(delays, 0.99), Math.max(...delays)].map(Math.round)
  console.log(`| ${[calls, ...times].join(' | ')} |`)
  await edge.close()
  await rm(state, { recursive: true, force: true })
}

/** Starts an edge for a new agent, whose calls wait for people. */
async function startEdgeOf(api: Client, state: string): Promise<{ edge: Edge; agentId: string }> {
  const policy = await api.call('createPolicy', {
    body: { name: 'Held', override_mode: 'enforce', default_effect: 'require_approval', rules: [] },
  })
  const body = { name: 'held', environment_id: fleet.environmentId, policy_id: policy.id }
  const { agent, agent_key: key } = await api.call('createAgent', { body })
  const settings = {
    MANDATE_URL: url,
    MANDATE_EDGE_KEY: key,
    MANDATE_EDGE_AGENTS: agent.id,
    MANDATE_EDGE_STATE: state,
    MANDATE_EDGE_PORT: '0',
  }
  return { edge: await startEdge(readEdgeConfig(settings, {}), pino({ level: 'error' })), agentId: agent.id }
}
