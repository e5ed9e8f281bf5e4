import { homedir } from 'node:os'
import { join } from 'node:path'

/** Settings of the commands that come from environment variables. */
export interface Environment {
  /** `MANDATE_URL` */
  url: string | undefined
  /** `MANDATE_API_KEY` */
  apiKey: string | undefined
  /** The folder of the session file: `MANDATE_CONFIG_DIR`, or `mandate` in the user's configuration folder. */
  configDir: string
}

export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  return {
    url: variables.MANDATE_URL || undefined,
    apiKey: variables.MANDATE_API_KEY || undefined,
    configDir: variables.MANDATE_CONFIG_DIR || join(configHome(variables), 'mandate'),
  }
}

/** Environment variables for a child process, without the settings of a server or an edge. */
export function plainEnvironment(variables: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const names = ['PATH', 'HOME', 'USER', 'TMPDIR', 'LANG', 'LC_ALL']
  return Object.fromEntries(names.flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])))
}

/** True if programs of this user can open windows, on systems other than macOS and Windows. */
export const hasDisplay = (variables: NodeJS.ProcessEnv = process.env) =>
  Boolean(variables.DISPLAY || variables.WAYLAND_DISPLAY)

function configHome({ XDG_CONFIG_HOME, APPDATA }: NodeJS.ProcessEnv): string {
  if (process.platform === 'win32' && APPDATA) return APPDATA
  return XDG_CONFIG_HOME || join(homedir(), '.config')
}
