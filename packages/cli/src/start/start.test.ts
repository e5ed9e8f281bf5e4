import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { asksForText } from './run-command.ts'

const root = join(import.meta.dirname, '../../../..')
const hooks = `data:text/javascript,${encodeURIComponent(`
  import { appendFileSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, nextLoad) {
      appendFileSync(process.env.LOADED, url + '\\n')
      return nextLoad(url, context)
    },
  })
  process.once('exit', () => {
    if (process.moduleLoadList.some((name) => name.endsWith('undici'))) appendFileSync(process.env.LOADED, 'file:the fetch of Node')
  })`)}`

/** Runs a command. Returns the modules that it loads. Of a library it returns only the name, and of Node only its `fetch`. */
async function modulesOf(...args: string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-start-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"data":[]}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const LOADED = join(folder, 'loaded')
  const env = {
    LOADED,
    MANDATE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    MANDATE_API_KEY: `mk_${'0'.repeat(64)}`,
    MANDATE_EDGE_TOKEN: 'x'.repeat(40),
  }
  const program = spawn(process.execPath, ['--import', hooks, 'packages/cli/bin/mandate.js', ...args], {
    cwd: root,
    env,
  })
  program.stdin.end('{"tool_name":"Bash","tool_input":{}}')
  await once(program, 'exit')
  const urls = (await readFile(LOADED, 'utf8')).split('\n').filter((url) => url.startsWith('file:'))
  const paths = urls.map((url) => decodeURIComponent(url).split(`${root}/`)[1] ?? url)
  return [...new Set(paths.map((path) => path.replace(/^node_modules\/([^/]+)\/.*/, '$1')))].sort()
}

test('the commands that run most often load only the modules that they need', async () => {
  const commands = [['--version'], ['agents', 'list'], ['edge', 'hook', '--edge', 'http://127.0.0.1:1']]
  const lists = await Promise.all(commands.map(async (args) => [args.join(' '), ...(await modulesOf(...args))]))
  const text = lists.map((lines) => `${lines.join('\n  ')}\n`).join('\n')
  // Each module delays the start of the command, so these lists are to stay short.
  await expect(text).toMatchFileSnapshot('start-modules.txt')
})

test.each([['--help'], ['agents', 'list', '--help']])(
  'help is printed with a proxy that the command line cannot use: %s',
  async (...args) => {
    const program = spawn(process.execPath, ['packages/cli/bin/mandate.js', ...args], {
      cwd: root,
      env: { ALL_PROXY: 'no proxy' },
    })
    const [[code], text] = await Promise.all([once(program, 'exit'), new Response(program.stdout as never).text()])
    expect([code, text]).toEqual([0, expect.stringContaining('Usage: mandate')])
  },
)

test('the options of a tool server do not ask the command line for its help', () => {
  expect(asksForText(['agents', 'list', '-h'])).toBe(true)
  expect(asksForText(['edge', '--', 'postgres-mcp', '-h', 'db', '--help'])).toBe(false)
  expect(asksForText(['policies', 'restore', 'Desk', '--version'])).toBe(false)
})
