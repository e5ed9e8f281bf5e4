import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { runInProcess } from '@mandate/cli/testing/run-in-process'
import { password } from '../call-api.ts'
import { type Ended, temporaryFolder } from '../mandate-process.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { PATH = '/usr/bin:/bin', HOME = '/tmp' } = process.env
const basics = { PATH, HOME }

export interface RunOptions {
  /** Text for standard input. */
  input?: string
  settings?: Record<string, string>
}

/** Runs `mandate …` in a temporary folder. */
export interface CommandLineUser {
  folder: string
  settings: Record<string, string>
  /** Runs a command in the process of the test. Commands that need a process of their own fail: see `runInProcess`. */
  run(args: string[], options?: RunOptions): Promise<Ended>
  /** Runs a command as a process, for tests of the process itself. */
  runProcess(args: string[], options?: RunOptions): Promise<Ended>
  /** Returns the JSON lines that a command prints. @throws Error with standard error, if the command fails */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of a response
  json(args: string[]): Promise<any[]>
}

export async function commandLineUser(settings: Record<string, string> = {}): Promise<CommandLineUser> {
  const folder = await temporaryFolder()
  const all = { MANDATE_CONFIG_DIR: `${folder}/.config`, ...settings }
  const run = (args: string[], { input, settings: more = {} }: RunOptions = {}) =>
    runInProcess(args, { cwd: folder, env: { ...basics, ...all, ...more }, ...(input !== undefined && { input }) })
  return {
    folder,
    settings: all,
    run,
    runProcess: (args, { input = '', settings: more = {} } = {}) => runIn(folder, args, input, { ...all, ...more }),
    async json(args) {
      const { code, stdout, stderr } = await run([...args, '--json'])
      if (code !== 0) throw new Error(`mandate ${args.join(' ')} exited with ${code}: ${stderr}`)
      return stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    },
  }
}

/** A command-line user who is signed in with the tests' password. */
export async function signedInUser(server: { url: string }, email: string): Promise<CommandLineUser> {
  const user = await commandLineUser()
  const args = ['login', '--url', server.url, '--email', email, '--password-stdin']
  const { code, stderr } = await user.run(args, { input: `${password}\n` })
  if (code !== 0) throw new Error(`mandate login exited with ${code}: ${stderr}`)
  return user
}

function runIn(folder: string, args: string[], input: string, settings: Record<string, string>): Promise<Ended> {
  const child = spawn(`${root}node_modules/.bin/mandate`, args, {
    cwd: folder,
    // Puts the project's Node first. An older Node would only start the project's Node as a child process.
    env: { ...basics, PATH: `${root}node_modules/.bin:${PATH}`, ...settings },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  // A command that exits without reading its input causes EPIPE.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
}
