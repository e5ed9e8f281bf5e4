import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isUuid } from '@mandate/contract/fields/is-uuid'
import { fileFault } from './file-fault.ts'
import { httpAddressFault } from './http-address.ts'
import { homeFolder, type Names, setting } from './setting.ts'

/** Lists every error in the settings, one sentence each. */
export class EdgeConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`the edge's configuration is not valid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
  }
}

/** The default state folder, in the home folder of the user. @throws EdgeConfigError if the user has no home folder */
export function defaultStateDir(env: Names): string {
  const home = homeFolder(env)
  if (home === undefined)
    throw new EdgeConfigError(['MANDATE_EDGE_STATE: this user has no home folder; set HOME or MANDATE_EDGE_STATE'])
  return join(home, '.mandate', 'edge')
}

/** The settings of `mandate edge hook`: the address of the edge, and the token that identifies the agent. */
export interface HookConfig {
  url: string
  token: string
  /** The token of the delegation under which the coding agent acts. */
  delegation?: string
}

/**
 * Where local programs find a running edge: its URL.
 * @throws EdgeConfigError if the URL is malformed
 */
export function readEdgeAddress(given: Names, env: Names): string {
  const url = setting('MANDATE_EDGE_LISTEN', given, env) ?? 'http://127.0.0.1:8089'
  const fault = httpAddressFault(url)
  if (fault === undefined) return url
  throw new EdgeConfigError([
    `MANDATE_EDGE_LISTEN: must be the URL at which the edge listens, such as http://127.0.0.1:8089; ${url} ${fault}`,
  ])
}

/** The state folder of the edge on this machine. @throws EdgeConfigError if no folder is set and the user has no home folder */
export function readStateDir(given: Names, env: Names): string {
  return resolve(setting('MANDATE_EDGE_STATE', given, env) ?? defaultStateDir(env))
}

/** @throws EdgeConfigError that lists the missing settings */
export function readHookConfig(given: Names, env: Names): HookConfig {
  const named = (name: string) => setting(name, given, env)
  const url = readEdgeAddress(given, env)
  const delegation = named('MANDATE_DELEGATION')
  const delegated = delegation === undefined ? {} : { delegation }
  const token = named('MANDATE_EDGE_TOKEN')
  if (token) return { url, token, ...delegated }
  const folder = join(readStateDir(given, env), 'tokens')
  const agent = named('MANDATE_EDGE_AGENTS') ?? soleFileIn(folder)
  if (!agent || !isUuid(agent)) {
    throw new EdgeConfigError([
      'MANDATE_EDGE_AGENTS: must be the id of the agent that runs the hook. It can be left out if MANDATE_EDGE_TOKEN is set, or if the state folder contains the token of exactly one agent',
    ])
  }
  const file = join(folder, agent.toLowerCase())
  try {
    return { url, token: readFileSync(file, 'utf8').trim(), ...delegated }
  } catch (error) {
    const reason = fileFault(error) ?? (error as Error).message
    throw new EdgeConfigError([
      `MANDATE_EDGE_STATE: the token of the agent cannot be read from ${file}: ${reason}; name the state folder of an edge that serves the agent`,
    ])
  }
}

/**
 * Returns the name of the file that has an agent id as its name. Returns undefined if there is no such file or more than one,
 * or if the folder cannot be read.
 */
function soleFileIn(folder: string): string | undefined {
  try {
    const [only, ...others] = readdirSync(folder).filter((name) => isUuid(name))
    return others.length === 0 ? only : undefined
  } catch {
    return undefined
  }
}
