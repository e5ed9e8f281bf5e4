import { basename } from 'node:path'
import { isServerName } from '../mcp/tool-name.ts'

const runners = /^(npx|npm|pnpm|pnpx|yarn|bunx?|uvx?|pipx|node|deno|python3?|docker)(\.(cmd|exe))?$/

/**
 * What policies call a tool server that was given as a command: the name of the program, or of the package that a runner
 * such as npx runs, without its scope, version and ending. Null where none can be told.
 */
export function serverNameOf([command = '', ...args]: readonly string[]): string | null {
  const program = runners.test(basename(command)) ? args.find((arg) => !/^(-|exec$|dlx$|run$|x$)/.test(arg)) : command
  const name = basename(program ?? '')
    .replace(/(?<=.)@.*$/, '')
    .replace(/\.[cm]?[jt]s$|\.py$|\.exe$/, '')
  return isServerName(name) ? name : null
}
