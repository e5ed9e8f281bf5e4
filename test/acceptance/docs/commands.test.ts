// May take over 10 s: runs every command of every page of the documentation.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  fillDataFolder,
  type RunningMandate,
  sharedMandate,
  startMandate,
  temporaryFolder,
} from '../mandate-process.ts'
import { type PageShell, startPageShell } from './page-shell.ts'
import { readSteps, type Step } from './read-steps.ts'
import { isSameOutput, steady } from './same-output.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (page: string) => readFile(join(root, page), 'utf8')
const pages = [
  'README.md',
  ...(await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
]
const stepsOf = new Map(await Promise.all(pages.map(async (page) => [page, readSteps(await read(page))] as const)))
const all = [...stepsOf].flatMap(([page, steps]) => steps.map((step) => ({ page, ...step })))

/** The commands that no test runs. A further one is added here, for review. */
const notRun = [
  'README.md: npm ci && npm test     # on a PostgreSQL of its own, in 8 to 15 minutes on two cores (it is what runs this test)',
  'docs/cli.md: npx mandate join "$LINK" (it asks for a password)',
  'docs/cli.md: npx mandate policies push policies --overwrite (it needs a repository of your own)',
  'docs/findings.md: npx mandate findings accept <agent> --reason "the disk of the edge was lost" (needs an edge that lost records)',
]

test('every block of commands is run, by this file or by the test that it names, or says why not', () => {
  const skipped = all.flatMap((step) =>
    step.kind === 'skipped' ? [`${step.page}: ${step.text.split('\n')[0]} (${step.reason})`] : [],
  )
  console.info(`Commands of the documentation that no test runs:\n${skipped.map((line) => `  ${line}`).join('\n')}`)
  expect(skipped).toEqual(notRun)
})

test('a test that a page names for a block exists', () => {
  const missing = all.flatMap((step) => (step.kind === 'elsewhere' && !existsSync(join(root, step.test)) ? [step] : []))
  expect(missing).toEqual([])
})

const withCommands = [...stepsOf].filter(([, steps]) => steps.some(({ kind }) => kind === 'commands'))

const hasPrograms = ['curl', 'openssl'].every((program) => spawnSync(program, ['--help']).error === undefined)

// These pages back up the data folder, change its secrets, or read the newest mail of the server.
const onOwnServer = new Set(['docs/operations.md', 'docs/getting-started.md'])
const shared = sharedMandate()

async function ownServer(folder: string): Promise<RunningMandate> {
  const DATA_DIR = join(folder, 'data')
  await mkdir(DATA_DIR)
  await fillDataFolder(DATA_DIR)
  return await startMandate({ DATA_DIR })
}

/** A domain for the people of a page, as long as the one that pages show. */
const domainOf = (page: string) => `p${String(pages.indexOf(page)).padStart(3, '0')}.example`

describe.skipIf(!hasPrograms)('the commands of', () => {
  test.each(withCommands)('%s do what the page shows', { timeout: 300_000 }, async (page, steps) => {
    const folder = await temporaryFolder()
    const shell = onOwnServer.has(page)
      ? await startPageShell(await ownServer(folder), folder)
      : await startPageShell(shared(), folder, domainOf(page))
    const functions = await readFile(new URL('functions.sh', import.meta.url), 'utf8')
    expect(await shell.run(functions)).toEqual({ code: 0, output: '' })
    for (const step of steps) await take(shell, page, step)
  })
})

async function take(shell: PageShell, page: string, step: Step): Promise<void> {
  if (step.kind === 'file') await writeFile(join(shell.folder, step.path), `${step.text}\n`)
  if (step.kind === 'setup') {
    const { code, output } = await shell.run(step.text)
    expect(code, `${page}:${step.line}\n${output}`).toBe(0)
  }
  if (step.kind !== 'commands') return
  for (const { line, text, shown } of step.commands) {
    const at = `${page}:${line}\n${text}`
    if (step.readyText !== undefined) {
      await shell.keepRunning(text, step.readyText)
      continue
    }
    const { code, output } = await shell.run(text, step.exitCode !== 0)
    expect(code, `${at}\n${output}`).toBe(step.exitCode)
    if (shown === undefined) expect(output, at).not.toMatch(/^\{"error"|^mandate: /m)
    else if (!isSameOutput(steady(shown), steady(output))) expect.soft(steady(output), at).toBe(steady(shown))
  }
}
