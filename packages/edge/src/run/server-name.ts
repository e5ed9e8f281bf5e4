import { basename } from 'node:path'
import { isServerName } from '../mcp/mediation/tool-name.ts'

/** Programs that run a package by its name, and what comes before that name. */
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

/** Options of those that take no value of their own. */
const plainOptions = new Set(['-y', '--yes', '-q', '--quiet'])

/** Programs whose name says nothing of the server that they run. */
const interpreters =
  /^(sh|bash|dash|zsh|env|exec|sudo|nice|nohup|time|timeout|cmd|powershell|pwsh|node|nodejs|deno|tsx|ts-node|bun|npm|npx|pnpm|pnpx|yarn|uv|uvx|pipx?|python\d*(\.\d+)?|ruby|perl|php|java|dotnet|go|cargo|docker|podman|nerdctl|ssh|kubectl)$/i

/**
 * What policies call a tool server that was given as a command: the package that a runner such as npx runs, with its scope, or a
 * program of its own. Null where the command does not say so beyond doubt, as with `node …/index.js` or `docker run …`: a name
 * must be given then.
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
  // An option may take the next word, a path may lead anywhere: neither says which package it is.
  if (!found || /^[-.]/.test(found[2] ?? '')) return null
  return found[1] === undefined ? (found[2] as string) : `${found[1]}.${found[2]}`
}
