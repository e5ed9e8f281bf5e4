import { join } from 'node:path'
import { homeFolder, setting } from '@mandate/edge/setting'
import { Failure } from './failure.ts'
import { type Invocation, invocation, pathOf } from './invocation.ts'

/** Settings of the commands that come from environment variables. */
export interface Environment {
  /** `MANDATE_URL` */
  url: string | undefined
  /** `MANDATE_API_KEY` */
  apiKey: string | undefined
  /**
   * The folder of the session file: `MANDATE_CONFIG_DIR`, or `mandate` in the user's configuration folder. Read only when it is needed: with
   * an API key, no session is needed. Throws a Failure if nothing names a folder.
   */
  readonly configDir: string
}

export function readEnvironment(): Environment {
  const variables = invocation().env
  return {
    url: setting('MANDATE_URL', variables),
    apiKey: setting('MANDATE_API_KEY', variables),
    get configDir() {
      return pathOf(setting('MANDATE_CONFIG_DIR', variables) ?? join(configHome(variables), 'mandate'))
    },
  }
}

/** Environment variables for a child process, without the settings of a server or an edge. */
export function plainEnvironment(): Record<string, string> {
  const variables = invocation().env
  const names = ['PATH', 'HOME', 'USER', 'TMPDIR', 'LANG', 'LC_ALL']
  return Object.fromEntries(names.flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])))
}

/** True if programs of this user can open windows, on systems other than macOS and Windows. */
export function hasDisplay(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = invocation().env
  return Boolean(DISPLAY || WAYLAND_DISPLAY)
}

/** The state folder of the edge on this machine: `given`, or `MANDATE_EDGE_STATE`. Undefined for the edge's default. */
export function edgeState(given: string | undefined): string | undefined {
  const state = given || setting('MANDATE_EDGE_STATE', invocation().env)
  return state ? pathOf(state) : undefined
}

function configHome(variables: Invocation['env']): string {
  const { XDG_CONFIG_HOME, APPDATA } = variables
  if (process.platform === 'win32' && APPDATA) return APPDATA
  if (XDG_CONFIG_HOME) return XDG_CONFIG_HOME
  const home = homeFolder(variables)
  if (home === undefined)
    throw new Failure('the folder of the session file is unknown, because this user has no home folder', {
      hint: 'set HOME or MANDATE_CONFIG_DIR, or use MANDATE_URL and MANDATE_API_KEY without a session',
    })
  return join(home, '.config')
}
