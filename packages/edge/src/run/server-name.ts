import { basename } from 'node:path'
import { isServerName } from '../mcp/mediation/tool-name.ts'

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

/** Options of these programs that take no value. */
const plainOptions = new Set(['-y', '--yes', '-q', '--quiet'])

/** Shells, interpreters and package runners. Many tool servers are started with them, so their name does not identify the server. */
const interpreters =
  /^(sh|bash|dash|zsh|env|exec|sudo|nice|nohup|time|timeout|cmd|powershell|pwsh|node|nodejs|deno|tsx|ts-node|bun|npm|npx|pnpm|pnpx|yarn|uv|uvx|pipx?|python\d*(\.\d+)?|ruby|perl|php|java|dotnet|go|cargo|docker|podman|nerdctl|ssh|kubectl)$/i

/**
 * Returns the name in policies of a tool server that is given as a command. This is the package that a runner such as npx
 * runs, with its scope, or the program itself. Returns null if the command does not identify the server, as in `node
 * …/index.js` or `docker run …`. Then the user must give a name.
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
  // The word after an unknown option may be the option's value, and a path may lead to any file. So neither identifies the package.
  if (!found || /^[-.]/.test(found[2] ?? '')) return null
  return found[1] === undefined ? (found[2] as string) : `${found[1]}.${found[2]}`
}
