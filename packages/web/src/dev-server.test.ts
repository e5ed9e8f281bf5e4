import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer as createVite, type ViteDevServer } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
let upstream: Server
let vite: ViteDevServer
let url: string

/** `npm run dev`, in front of a server that says what it was asked for. */
beforeAll(async () => {
  upstream = createServer((request, response) => {
    response.setHeader('set-cookie', 'mandate_session=x; HttpOnly; SameSite=Strict; Path=/api/v1/auth')
    response.end(`the server got ${request.method} ${request.url} with ${request.headers.cookie}`)
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  process.env.MANDATE_URL = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const configFile = join(root, 'vite.config.ts')
  vite = await createVite({
    root,
    configFile,
    logLevel: 'silent',
    server: { port: 0, host: '127.0.0.1' },
    // No page is opened, so no dependency is needed.
    optimizeDeps: { noDiscovery: true },
  })
  await vite.listen()
  url = `http://127.0.0.1:${(vite.httpServer?.address() as AddressInfo | undefined)?.port}`
}, 60_000)

afterAll(async () => {
  delete process.env.MANDATE_URL
  await vite.close()
  await new Promise((resolve) => upstream.close(resolve))
})

it.each([
  '/api/v1/auth/refresh',
  '/approve?token=abc',
  '/docs',
  '/docs/script.js',
  '/getting-started',
  '/assets/index.css',
])('%s reaches the server, with the cookie of the session in both directions', async (address) => {
  const response = await fetch(url + address, { method: 'POST', headers: { cookie: 'mandate_session=y' } })
  expect(await response.text()).toBe(`the server got POST ${address} with mandate_session=y`)
  expect(response.headers.get('set-cookie')).toContain('mandate_session=x')
})

it.each(['/', '/agents', '/join?token=abc'])('%s is the page of the dashboard', async (address) => {
  const response = await fetch(url + address, { headers: { accept: 'text/html' } })
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('<div id="root">')
})
