import { basename } from 'node:path'
import { isServerName } from '@mandate/contract/fields/mcp-tool-name'

/** Programs that run a package by its name, and the words that may come before the package name. */
const packageRunners: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  pnpx: [],
  uvx: [],
  pnpm: ['dlx'],
  yarn: ['dlx'],
  bun: ['x'],
  pipx: ['run'],
}

/** Options of package runners, such as npx, that take no value. */
const plainOptions = new Set(['-y', '--yes', '-q', '--quiet'])

/** Shells, interpreters and package runners. Many tool servers are started with them, so their name does not identify the server. */
const interpreters =
  /^(sh|bash|dash|zsh|env|exec|sudo|nice|nohup|time|timeout|cmd|powershell|pwsh|node|nodejs|deno|tsx|ts-node|bun|npm|npx|pnpm|pnpx|yarn|uv|uvx|pipx?|python\d*(\.\d+)?|ruby|perl|php|java|dotnet|go|cargo|docker|podman|nerdctl|ssh|kubectl)$/i

/**
 * Derives the name that policies use for a tool server from the command that starts the server. For a package runner such as
 * npx, the name is the package with its scope. For another program, the name is the program itself. Returns null if the
 * command does not identify the server, as in `node …/index.js` or `docker run …`. Then the user must give a name.
 */
export function serverNameOf([command = '', ...args]: readonly string[]): string | null {
  const program = basename(command).replace(/\.(cmd|exe)$/i, '')
  const before = Object.hasOwn(packageRunners, program) ? packageRunners[program] : undefined
  const name = before ? packageAfter(args, before) : interpreters.test(program) ? null : program
  return name !== null && isServerName(name) ? name : null
}

function packageAfter(args: readonly string[], before: readonly string[]): string | null {
  if (before.some((word, index) => args[index] !== word)) return null
  const rest = args.slice(before.length)
  const named = rest.find((arg) => !plainOptions.has(arg))
  const found = /^(?:@([\w.-]+)\/)?([\w.-]+)(?:@[^/]*)?$/.exec(named ?? '')
  // An option or a path does not identify the package. After an unknown option, the next word may be the option's value. A path
  // may lead to any file.
  if (!found || /^[-.]/.test(found[2] ?? '')) return null
  return found[1] === undefined ? (found[2] as string) : `${found[1]}.${found[2]}`
}
