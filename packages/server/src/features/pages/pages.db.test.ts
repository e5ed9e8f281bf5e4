import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../http/create-app.ts'
import { startTestServer, type TestServer } from '../../testing/start-test-server.ts'
import { routes } from '../routes.ts'

const source = fileURLToPath(new URL('../..', import.meta.url))

/** The paths that mails and redirects link to. */
const linked = globSync('{features,mail}/**/*.ts', { cwd: source })
  .filter((file) => !file.endsWith('.test.ts') && !file.startsWith('features/pages/'))
  .flatMap((file) => [...readFileSync(join(source, file), 'utf8').matchAll(/publicUrl\}(\/[\w/-]+)/g)])
  .map(([, path]) => path as string)
  .filter((path, index, all) => !path.startsWith('/api/v1') && all.indexOf(path) === index)

const secret = 'dG9rZW4tb2YtYS1tYWls'

let server: TestServer
let url: string
let stopApp: () => Promise<void>
const log: string[] = []

beforeAll(async () => {
  server = await startTestServer({ publicUrl: 'https://mandate.example.com' })
  const logger = pino({ level: 'trace' }, { write: (line) => void log.push(line) })
  const app = createApp({ ...server.services, log: logger }, routes)
  url = await app.listen({ port: 0, host: '127.0.0.1' })
  stopApp = () => app.close()
})
afterAll(async () => {
  await stopApp()
  await server.stop()
})

describe('the pages that mails link to', () => {
  it('are found in the source', () => {
    const known = ['/approve', '/join', '/verify-email', '/reset-password', '/forgot-password', '/sign-in']
    expect(linked.sort()).toEqual([...known, '/sign-in/complete'].sort())
  })

  it.each(linked.filter((path) => path !== '/approve'))(
    '200 for %s with the dashboard, and the access log does not contain the secret of the link',
    async (path) => {
      log.length = 0
      const answer = await fetch(`${url}${path}?token=${secret}&error=${secret}`)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
      expect(await answer.text()).not.toContain(secret)
      await expect.poll(() => log.join('')).toContain(`"path":"${path}"`)
      expect(log.join('')).not.toContain(secret)
    },
  )
})

describe('GET /getting-started', () => {
  it('200 with the guide as a page, with the address of the server and without its comments for tests', async () => {
    const answer = await fetch(`${url}/getting-started`)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const text = await answer.text()
    expect(text).toContain('<h1 id="getting-started">Getting started</h1>')
    expect(text).not.toContain('<!--')
    expect(text).not.toContain('http://127.0.0.1:8080')
    expect(text).toContain('MANDATE_URL=https://mandate.example.com\n')
  })

  it('has the look of the dashboard, and loads nothing from another host', async () => {
    const answer = await fetch(`${url}/getting-started`)
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; font-src 'self'; img-src 'self'; style-src 'self' 'sha256-[^ ]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    )
    const [head = ''] = (await answer.text()).split('<header>')
    const files = [...head.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, file]) => file as string)
    expect(files).toEqual(expect.arrayContaining(['/layers.css', '/theme.js', expect.stringMatching(/index-.*\.css$/)]))
    expect(files.filter((file) => file.endsWith('.js'))).toEqual(['/theme.js'])
    for (const file of files) expect((await fetch(`${url}${file}`)).status, file).toBe(200)
  })
})
