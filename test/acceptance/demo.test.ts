// May take over 10 s: the demonstration starts a server, an edge and a tool server, and walks through every step.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isSameOutput, steady } from './docs/same-output.ts'
import { type Ended, mandate, temporaryFolder } from './mandate-process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** What README.md says that the demo prints. */
async function shownInReadme(): Promise<string> {
  const page = await readFile(join(root, 'README.md'), 'utf8')
  const shown = /^```output\n([\s\S]*?)^```$/m.exec(page.slice(page.indexOf('npm run demo')))?.[1]
  if (shown === undefined) throw new Error('README.md does not show what the demo prints')
  return shown
}

interface RunningDemo {
  child: ChildProcess
  /** The parent of the demo's folder. */
  temporary: string
  stdout(): string
  ended: Promise<Ended>
}

async function startDemo(args: string[] = [], settings: Record<string, string> = {}): Promise<RunningDemo> {
  const temporary = await temporaryFolder()
  // PostgreSQL runs as another user than root and must be able to enter the folder.
  await chmod(temporary, 0o755)
  const { PATH = '/usr/bin:/bin', HOME = '/tmp' } = process.env
  const child = spawn('node_modules/.bin/mandate', ['demo', ...args], {
    cwd: root,
    // Settings of another server and edge, which the demo must ignore.
    env: {
      PATH,
      HOME,
      TMPDIR: temporary,
      PORT: '1',
      DATABASE_URL: 'postgres://nowhere/x',
      MANDATE_EDGE_AGENTS: 'none',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
  return { child, temporary, stdout: () => stdout, ended }
}

/** Waits until the edge runs. Returns the process ids of the edge, the server and PostgreSQL. */
async function processesOf({ temporary }: RunningDemo): Promise<{ edge: number; all: number[] }> {
  const linesOf = async (name: string) => {
    const [folder = ''] = await readdir(temporary)
    const text = await readFile(join(temporary, folder, name), 'utf8').catch(() => '')
    return text.split('\n').flatMap((line) => (line.endsWith('}') ? [JSON.parse(line)] : []))
  }
  const edgeLine = async () => (await linesOf('edge.log')).find(({ msg }) => msg === 'listening')
  await expect.poll(edgeLine, { timeout: 100_000, interval: 20 }).toBeDefined()
  const edge: number = (await edgeLine()).pid
  const server = await linesOf('control-plane.log')
  const database = server.find(({ msg }) => msg === 'embedded database started').database.pid
  return { edge, all: [edge, server[0].pid, database] }
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('the demo prints every step without colors outside a terminal, and exits with 0', async () => {
  const demo = await startDemo(['--keep'])
  const { code, stdout, stderr } = await demo.ended
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
  const marks = stdout.match(/^ +[A-Z]{4,} +\S.*$/gm)?.map((line) => line.trim().replace(/ +/, ' '))
  expect(marks).toEqual([
    'ALLOWED by the rule “reading”: notes are there to be read',
    'DENIED by the rule “no secrets”: secrets stay where they are',
    'DENIED by the rule “no secrets”: secrets stay where they are',
    'DENIED by the rule “no secrets”: secrets stay where they are (its condition on args.path cannot be decided, so it applies)',
    'HELD by the rule “writing”: a person looks at what is written',
    'ALLOWED by the approval, which is now used up: summary.txt is written',
    'HELD when Reporter makes the call once more: an approval is valid for one call only',
    'FOUND policy_drift_unapproved (medium) on Reporter: runs version 2, approved is 1',
    'FOUND policy_drift_unapproved (medium) on Researcher: runs version 2, approved is 1',
    'CLOSED policy_drift_unapproved on Reporter: approved is now version 2',
    'CLOSED policy_drift_unapproved on Researcher: approved is now version 2',
    expect.stringMatching(/^VERIFIED \d+ entries/),
  ])
  // The last line names the folder that this run keeps.
  const [shown, printed] = [await shownInReadme(), stdout].map((text) => steady(text).replace(/\nDone in .*$/, ''))
  if (!isSameOutput(shown ?? '', printed ?? '')) expect(printed).toBe(shown)
  expect(stdout).toMatch(/approval\.resolved +Mel +mcp:files\/write_file/)
  expect(stdout, 'no colour, no log').not.toMatch(/\p{Cc}(?<!\n)|[{}]/u)
  const [folder = ''] = await readdir(demo.temporary)
  expect(await readdir(join(demo.temporary, folder))).toEqual(
    expect.arrayContaining(['control-plane.log', 'edge.log', 'mail', 'files']),
  )
})

/** A folder with the programs that open an address in a browser. They write the address into a file instead. */
async function browserOfTest() {
  const folder = await temporaryFolder()
  const script = '#!/bin/sh\nprintf "%s\\n" "$@" > "$(dirname "$0")/opened"\n'
  for (const name of ['xdg-open', 'open']) await writeFile(join(folder, name), script, { mode: 0o755 })
  return { folder, opened: () => readFile(join(folder, 'opened'), 'utf8').catch(() => '') }
}

test('with --open the demo opens the dashboard in a browser and serves it until Ctrl-C; --keep then keeps its folder', {
  tags: ['long'],
}, async () => {
  const browser = await browserOfTest()
  const { PATH = '/usr/bin:/bin' } = process.env
  const demo = await startDemo(['--keep', '--open'], { PATH: `${browser.folder}:${PATH}`, DISPLAY: ':99' })
  await expect.poll(browser.opened, { timeout: 100_000 }).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/)
  const url = (await browser.opened()).trim()
  expect(demo.stdout()).toContain(`The dashboard shows what you have just seen: ${url}\n`)
  const page = await fetch(url)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])
  const [, email, password] = / E-mail +(\S+)\n +Password +(\S+)\n/.exec(demo.stdout()) ?? []
  const signIn = await fetch(`${url}/api/v1/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  expect(signIn.status).toBe(200)
  demo.child.kill('SIGINT')
  const { code, stdout, stderr } = await demo.ended
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
  const [, kept = ''] = /Data and logs are in (\S+)\.\n$/.exec(stdout) ?? []
  expect(await readdir(kept)).toEqual(expect.arrayContaining(['control-plane.log', 'edge.log']))
  await expect(fetch(url)).rejects.toThrow()
})

test('Ctrl-C stops the demo and every process that it started, and removes its folder', async () => {
  const demo = await startDemo()
  const { all } = await processesOf(demo)
  expect(all.map(runs)).toEqual([true, true, true])
  demo.child.kill('SIGINT')
  expect(await demo.ended).toMatchObject({ code: 130, stderr: '' })
  expect(all.map(runs)).toEqual([false, false, false])
  expect(await readdir(demo.temporary)).toEqual([])
})

test('a failed step ends the demo with exit code 1, and the error names the step', { tags: ['long'] }, async () => {
  const demo = await startDemo()
  const { edge, all } = await processesOf(demo)
  process.kill(edge, 'SIGKILL')
  const { code, stderr } = await demo.ended
  expect(code).toBe(1)
  expect(stderr).toMatch(/^mandate: step \d, “.+”: [\s\S]+\n {2}data and logs: \S+\n$/)
  expect(all.map(runs)).toEqual([false, false, false])
})

test('a paced demo needs a terminal', async () => {
  expect(await mandate(['demo', '--pace'])).toMatchObject({ code: 2, stdout: '' })
})
