import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, resolve } from 'node:path'
import type { Log } from './log.ts'
import { mayHaveTakenEffect } from './rpc-error.ts'

/** How the process of a tool server ended. If the process did not start, `startError` has the reason. */
export interface ServerEnd {
  /** The exit code: 128 plus the signal number if a signal ended the server, 127 if it did not start. */
  readonly code: number
  readonly signal: string | null
  readonly startError: string | null
}

interface Program {
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
}

const mostOfName = 200

/**
 * Explains why a program does not start: names the program, the folder, the error and the likely remedy. Leaves out arguments, because they may
 * contain secrets.
 */
export function explainStart({ command, env, cwd }: Program, error: NodeJS.ErrnoException): string {
  const folder = cwd === undefined ? process.cwd() : resolve(cwd)
  const isFile = command.includes('/') && findProgram(command, folder, env) !== null
  const [program = ''] = isFile ? [command] : command.trim().split(/\s+/)
  const name = JSON.stringify(program.slice(0, mostOfName))
  const failed = `cannot start the program ${name} in the folder ${JSON.stringify(folder)}`
  const isFolder = isDirectory(folder)
  if (isFolder === null) return `${failed}: the folder does not exist. Create it, or change cwd`
  if (!isFolder) return `${failed}: this is not a folder. Change cwd`
  const { code = error.name } = error
  if (program !== command) {
    return `${failed} (${code}): the command has spaces. Put only the program into command, and each argument into args`
  }
  return `${failed} (${code}): ${remedyFor(code, program, folder, env)}`
}

function remedyFor(code: string, program: string, folder: string, env: Readonly<Record<string, string>>): string {
  if (code === 'ENOENT' && /["']/.test(program)) return 'the command has quotes. Leave them out'
  if (code === 'ENOENT' && program.startsWith('~')) return '~ is not replaced. Write the whole path'
  const file = findProgram(program, folder, env)
  if (code === 'ENOENT' && file === null)
    return program.includes('/')
      ? 'there is no such file. Correct the path, or install the program'
      : 'no folder of PATH has this program. Install it, or write its whole path'
  if (code === 'ENOENT')
    return `the file ${JSON.stringify(file)} names an interpreter in its first line that is not there. Install it`
  if (code === 'EACCES' && isDirectory(resolve(folder, program))) return 'this is a folder. Name a program in it'
  if (code === 'EACCES' && file !== null && isExecutable(file))
    return 'the account of the edge may not run this file, or the interpreter that its first line names'
  if (code === 'EACCES') return 'the account of the edge may not run this file. Make it executable (chmod +x)'
  if (code === 'ENOTDIR') return 'a part of its path is a file and not a folder. Correct the path'
  if (code === 'E2BIG') return 'its arguments or its environment are too long. Shorten args or env'
  if (code === 'ERR_INVALID_ARG_VALUE') return 'the command, an argument or a variable of env contains a NUL character'
  if (code === 'EMFILE' || code === 'ENFILE') return 'too many files are open. Raise the limit (ulimit -n)'
  if (code === 'EAGAIN') return 'too many processes run. Raise the limit (ulimit -u)'
  return 'the system could not start it'
}

function findProgram(program: string, folder: string, env: Readonly<Record<string, string>>): string | null {
  const paths = program.includes('/')
    ? [isAbsolute(program) ? program : resolve(folder, program)]
    : (env.PATH ?? '').split(delimiter).map((path) => resolve(folder, path, program))
  return paths.find(isThere) ?? null
}

const isThere = (path: string) => hasAccess(path, constants.F_OK)
const isExecutable = (path: string) => hasAccess(path, constants.X_OK)

function hasAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

function isDirectory(path: string): boolean | null {
  try {
    return statSync(path).isDirectory()
  } catch {
    return null
  }
}

/** Describes for clients how a server ended. Says what is known of the effect of a request that has no answer. */
export function describeEnd({ code, signal, startError }: ServerEnd): string {
  if (startError !== null) return `The edge ${startError}. The request did not reach a tool server`
  const how = signal === null ? `exit code ${code}${meaningOf(code)}` : `signal ${signal}`
  return `The tool server stopped before it answered (${how}). ${mayHaveTakenEffect}. The log of the edge has what the server wrote to its standard error`
}

/** What shells and `env` mean by an exit code. */
function meaningOf(code: number): string {
  if (code === 126) return ', which often means that a program may not be run'
  return code === 127 ? ', which often means that a program or an interpreter was not found' : ''
}

/** Logs how a server ended. `isStopped` is true if the edge stopped it. */
export function logEnd({ log, server }: { log: Log; server: string }, end: ServerEnd, isStopped: boolean): void {
  const { code, signal, startError } = end
  if (startError !== null) log.warn({ server, code, reason: startError }, 'the edge could not start a tool server')
  else if (isStopped) log.info({ server, code, signal }, 'a tool server ended')
  else if (code === 0) log.warn({ server, code, signal }, 'a tool server ended by itself')
  else log.warn({ server, code, signal }, 'a tool server ended with an error')
}
