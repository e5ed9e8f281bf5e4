import { startServer } from './start-server.ts'

/** Starts the real server for all browser tests, and stops it after them. Each test has its own organization. */
export default async function startServerOfTests(): Promise<() => Promise<void>> {
  // The GitHub of the tests listens on this machine.
  const { url, folder, stop } = await startServer({ MANDATE_PRIVATE_PLATFORMS: 'on' })
  process.env.MANDATE_BROWSER_URL = url
  process.env.MANDATE_BROWSER_DATA = folder
  return stop
}
