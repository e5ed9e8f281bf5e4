import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { logEntries, type SharedMandate, serverOfRun, settingsOfRun } from './server-of-run.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const startLimitMs = 120_000

// What `npm start` runs. Without npm and without an older Node before it, a start takes half the CPU time.
const direct: readonly string[] = ['node_modules/.bin/node', 'packages/cli/bin/mandate.js', 'up']
export const npmStart: readonly string[] = ['npm', 'start']

/** Environment variables for a process: its settings, and only what a shell and the response recorder need from the test's environment. */
function environmentOf(settings: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH = '/usr/bin:/bin', HOME = '/tmp', NODE_OPTIONS = '', MANDATE_TEST_ANSWERS = '' } = process.env
  return { PATH, HOME, NODE_OPTIONS, MANDATE_TEST_ANSWERS, npm_config_update_notifier: 'false', ...settings }
}

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs a program in the repository's folder, without input, and waits until it exits. */
export async function runProgram(file: string, args: string[], settings: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(file, args, { cwd: root, env: environmentOf(settings), stdio: ['ignore', 'pipe', 'pipe'] })
  return await endOf(child)
}

/** Runs `mandate …` and waits until it exits. */
export async function mandate(args: string[], settings: Record<string, string> = {}): Promise<Ended> {
  return await runProgram('node_modules/.bin/mandate', args, settings)
}

/** Returns the JSON that a command prints. @throws Error with standard error, if the command fails */
export async function mandateJson(args: string[], settings: Record<string, string> = {}) {
  const { code, stdout, stderr } = await mandate(args, settings)
  if (code !== 0) throw new Error(`mandate ${args.join(' ')} exited with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

export interface RunningMandate extends SharedMandate {
  /** Process id of the server, not of npm if npm started it. */
  pid: number
  /** What it wrote to standard error. */
  errorOutput(): string
  /** The log entries, parsed. */
  log(): Record<string, unknown>[]
  /** The current process of its embedded PostgreSQL. */
  database(): { pid: number; socketDir: string }
  ended: Promise<Ended>
  /** Kills the server with SIGKILL, like a power failure. */
  kill(): Promise<void>
  /** Sends a signal to the started process, like a person or a supervisor. */
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

interface StartOptions {
  command?: readonly string[]
  /** A file that gets everything that the server prints, for other processes. */
  logFile?: string
}

type AtEnd = (end: () => Promise<void>) => void

/** A temporary data folder, removed at the end of the test. */
export async function temporaryFolder(atEnd: AtEnd = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-acceptance-'))
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** A data folder that a first start has filled. A start on it takes half the time of a first one. It is removed at the end of the test. */
export async function dataFolder(atEnd: AtEnd = onTestFinished): Promise<string> {
  const folder = await temporaryFolder(atEnd)
  await fillDataFolder(folder)
  return folder
}

/** Fills an empty data folder as a first start does. It stays empty where prepare-data.ts is not in the project's globalSetup. */
export async function fillDataFolder(folder: string): Promise<void> {
  const prepared = process.env.MANDATE_TEST_PREPARED
  if (prepared === undefined) return
  // The files belong to the account that PostgreSQL runs under, which fs.cp does not keep.
  await promisify(execFile)('cp', ['-a', `${prepared}/.`, folder])
}

/** Starts a server and waits until it listens. It stops at the end of the test. */
export async function startMandate(
  settings: Record<string, string>,
  atEnd: AtEnd = onTestFinished,
  options: StartOptions = {},
): Promise<RunningMandate> {
  const running = await launchMandate(settings, options)
  atEnd(() => running.kill())
  return running
}

/** Starts a server and waits until it listens. The caller must stop it. */
export async function launchMandate(
  settings: Record<string, string>,
  { command, logFile }: StartOptions = {},
): Promise<RunningMandate> {
  const child = spawnStart(settings, command)
  if (logFile !== undefined) child.stdout?.pipe(createWriteStream(logFile))
  const ended = endOf(child)
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  let errorOutput = ''
  child.stderr?.on('data', (chunk) => {
    errorOutput += chunk
  })
  const log = () => logEntries(output)
  const listening = await new Promise<Record<string, unknown>>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`the server did not start within ${startLimitMs} ms:\n${output}`)),
      startLimitMs,
    )
    child.stdout?.on('data', () => {
      const line = log().find(({ msg }) => msg === 'listening')
      if (line) resolve(line)
    })
    ended.then(({ stdout, stderr }) => reject(new Error(`the server exited before it listened:\n${stdout}\n${stderr}`)))
    ended.finally(() => clearTimeout(timer))
  })
  const pid = Number(listening.pid)
  return {
    url: String(listening.url),
    dataDir: settings.DATA_DIR ?? '',
    pid,
    output: () => output,
    errorOutput: () => errorOutput,
    log,
    database() {
      const started = log().findLast(({ msg }) => msg === 'embedded database started')
      if (!started) throw new Error('no embedded database was started')
      return started.database as { pid: number; socketDir: string }
    },
    ended,
    async kill() {
      killIfThere(pid)
      await ended
    },
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/**
 * A server that other tests use too, each with its own organization: the server of the run, or one of this file if the run has none.
 * It has the settings `settingsOfRun`.
 */
export function sharedMandate(): () => SharedMandate {
  const ofRun = serverOfRun()
  if (ofRun) return () => ofRun
  const ends: (() => Promise<void>)[] = []
  const atEnd: AtEnd = (end) => void ends.unshift(end)
  let running: RunningMandate
  beforeAll(async () => {
    running = await startMandate({ ...settingsOfRun, DATA_DIR: await dataFolder(atEnd) }, atEnd)
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })
  return () => running
}

/** Starts a server with settings that the server must refuse, and waits until it exits. */
export async function startRefused(settings: Record<string, string>): Promise<Ended> {
  return await endOf(spawnStart(settings))
}

function spawnStart(settings: Record<string, string>, [file = '', ...args] = direct): ChildProcess {
  const env = environmentOf({ PORT: '0', ...settings })
  return spawn(file, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
}

function endOf(child: ChildProcess): Promise<Ended> {
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already exited.
  }
}
