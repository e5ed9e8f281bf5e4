import { AsyncLocalStorage } from 'node:async_hooks'
import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { Failure } from './failure.ts'

/** What one run of the program gets from outside. Commands use this instead of `process`, so that a test can run them in its own process. */
export interface Invocation {
  /** The words after `mandate`. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths start from. */
  readonly cwd: string
  readonly stdin: Readable & { isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  exitCode: number
}

export type Output = Writable & { isTTY?: boolean; columns?: number }

/** The run of the program that is this process. Its properties are getters, because reading a stream of the process opens it. */
export const processInvocation: Invocation = {
  args: process.argv.slice(2),
  env: process.env,
  get cwd() {
    return process.cwd()
  },
  get stdin() {
    return process.stdin
  },
  get stdout() {
    return process.stdout
  },
  get stderr() {
    return process.stderr
  },
  get exitCode() {
    return Number(process.exitCode ?? 0)
  },
  set exitCode(code) {
    process.exitCode = code
  },
}

// Storage instead of a parameter, because the functions that print are called from almost everywhere.
const current = new AsyncLocalStorage<Invocation>()

/** The current run: the run inside `runAs`, otherwise the run of this process. */
export function invocation(): Invocation {
  return current.getStore() ?? processInvocation
}

/** Runs a function, and everything that it calls, as the given run. */
export function runAs<T>(given: Invocation, run: () => T): T {
  return current.run(given, run)
}

/** Resolves a path that the user gave. */
export function pathOf(given: string): string {
  return resolve(invocation().cwd, given)
}

/** The process, for commands that need a whole process. @throws Failure if the program runs inside another program */
export function ownProcess(): NodeJS.Process {
  if (invocation() !== processInvocation) throw new Failure('this command needs a process of its own')
  return process
}
