import { homedir } from 'node:os'

/** Environment variables by their names. */
export type Names = Readonly<Record<string, string | undefined>>

/**
 * A setting, without white space around it: a file of variables may add some, such as the carriage return of a line end of Windows. An empty
 * value counts as absent. Earlier ones of several `names` take precedence.
 */
export const setting = (name: string, ...names: readonly Names[]): string | undefined =>
  names.map((all) => all[name]?.trim()).find(Boolean)

/** The home folder of the user: `HOME`, except on Windows, or what the system says. Undefined for a user id without a home folder. */
export function homeFolder({ HOME }: Names): string | undefined {
  if (process.platform !== 'win32' && HOME) return HOME
  try {
    return homedir() || undefined
  } catch {
    // Without `HOME`, the system finds no home folder for a user id that has no name, as in many containers.
    return undefined
  }
}
