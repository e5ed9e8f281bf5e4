// Long: it starts a server of its own and grows an organization, with a week of decisions.
import { holdCalls } from '../grown/events.ts'
import { type GrownOrganization, growOrganization } from '../grown/grow-organization.ts'
import { screensOf } from '../grown/screens.ts'
import { overflowOf, settle } from '../settle.ts'
import { type OwnServer, startServer } from '../start-server.ts'
import { expect, signIn, test } from '../tenant.ts'

// The other tests have small organizations, whose pages are never full. This one has people, agents, edges, findings and a week of decisions.

const limitMs = 400_000
// Both tests use the same organization, in one worker.
test.describe.configure({ mode: 'default', timeout: limitMs })

const { MANDATE_BROWSER_URL: sharedUrl, MANDATE_BROWSER_DATA: sharedData } = process.env
let server: OwnServer
let grown: GrownOrganization

test.beforeAll(async () => {
  test.setTimeout(limitMs)
  // Edges report often, so that one of them is silent soon.
  server = await startServer({ MANDATE_HEARTBEAT_SECONDS: '3' })
  Object.assign(process.env, { MANDATE_BROWSER_URL: server.url, MANDATE_BROWSER_DATA: server.folder })
  grown = await growOrganization(server, () => {})
})

test.afterAll(async () => {
  await grown?.stop()
  await server?.stop()
  Object.assign(process.env, { MANDATE_BROWSER_URL: sharedUrl, MANDATE_BROWSER_DATA: sharedData })
})

for (const { device, widths, options } of [
  { device: 'with a mouse', widths: [768, 1280, 1920], options: {} },
  { device: 'on a phone', widths: [360], options: { hasTouch: true, isMobile: true } },
])
  test.describe(device, () => {
    test.use(options)

    test('no page of a full organization scrolls sideways', { tag: '@long' }, async ({ page, expectedFaults }) => {
      // One of the screens is about an agent that does not exist.
      expectedFaults.push(/^404 GET .*agents/)
      await page.setViewportSize({ width: 1280, height: 900 })
      await signIn(page, grown.organization.email)
      await holdCalls(grown)
      const tooWide: string[] = []
      for (const { name, path, act } of await screensOf(grown)) {
        await page.setViewportSize({ width: 1280, height: 900 })
        await page.goto(path)
        await settle(page)
        await act?.(page)
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 })
          await settle(page)
          // A table that became too wide scrolls by itself a moment later.
          const fits = expect.poll(() => overflowOf(page)).toBe(0)
          await fits.catch(async () => tooWide.push(`${name} at ${width}: ${await overflowOf(page)} px`))
        }
      }
      expect(tooWide).toEqual([])
    })
  })
