// Long: it starts a server of its own behind a proxy, and waits until the page has given a stream up.
import { type OwnProxy, startProxy } from '../own-proxy.ts'
import { startServer } from '../start-server.ts'
import { test as base, expect, newOrganization, signIn } from '../tenant.ts'

const test = base.extend<Record<never, never>, { ownProxy: OwnProxy }>({
  ownProxy: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants the pattern
    async ({}, use) => {
      let target = ''
      const proxy = await startProxy(() => target)
      const server = await startServer({ PUBLIC_URL: proxy.url })
      target = server.url
      await use(proxy)
      await proxy.stop()
      await server.stop()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  baseURL: async ({ ownProxy }, use) => use(ownProxy.url),
  organization: async ({ ownProxy }, use) => {
    ownProxy.set({})
    await use(await newOrganization(undefined, ownProxy.url))
  },
})

// The tests share the proxy.
test.describe.configure({ mode: 'serial' })

test('a page is not live while a proxy passes only the headers of the stream', { tag: '@long' }, async ({
  page,
  organization,
  ownProxy,
}) => {
  ownProxy.set({ held: 'body' })
  await signIn(page, organization.email, '/policies')
  await expect(page.getByText('Not live', { exact: true })).toBeVisible()
  ownProxy.set({})
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
})

test('after the stream ends the page is soon not live, also if the proxy answers nothing', { tag: '@long' }, async ({
  page,
  organization,
  ownProxy,
}) => {
  await signIn(page, organization.email, '/policies')
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  ownProxy.set({ held: 'answer' })
  await expect(page.getByText('Connecting', { exact: true })).toBeVisible()
  await expect(page.getByText('Not live', { exact: true })).toBeVisible()
})

test('if only the stream is held back, the page says so and reads changes at intervals', { tag: '@long' }, async ({
  page,
  organization,
  ownProxy,
}) => {
  ownProxy.set({ held: 'answer' })
  await signIn(page, organization.email, '/policies')
  const late = page.getByText(/^Changes arrive late/)
  // The page waits 10 seconds for the stream, and 5 more for a server that starts.
  await expect(late).toContainText('A proxy between you and the server may hold them back.', { timeout: 30_000 })
  await organization.api.call('createPolicy', { body: { name: 'Desk' } })
  // The page reads changes every 20 seconds.
  await expect(page.getByRole('row', { name: /Desk/ })).toBeVisible({ timeout: 30_000 })
  await expect(late).toBeVisible()
  ownProxy.set({})
  await expect(page.getByText(/^Connected again\./)).toBeVisible()
  await expect(late).toHaveCount(0)
})

test('a proxy that wants the header Authorization for itself is named, and nobody is sent to sign in again', {
  tag: '@long',
}, async ({ page, organization, ownProxy, expectedFaults }) => {
  expectedFaults.push(/^401 |^console: MandateError: a proxy in front of Mandate/)
  ownProxy.set({ wantsAuthorization: true })
  await signIn(page, organization.email)
  await expect(page.getByText(/^a proxy in front of Mandate refused the request/)).toBeVisible()
  ownProxy.set({})
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
})
