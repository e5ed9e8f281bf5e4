import { type OwnServer, startServer } from './start-server.ts'
import { test as base, newOrganization } from './tenant.ts'

/** The test function of tests that stop and start a server of their own. Tests of one file share it. */
export const test = base.extend<Record<never, never>, { server: OwnServer }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants the pattern
    async ({}, use) => {
      const server = await startServer()
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  baseURL: async ({ server }, use) => use(server.url),
  organization: async ({ server }, use) => {
    await server.resume()
    await use(await newOrganization(undefined, server.url))
  },
})
