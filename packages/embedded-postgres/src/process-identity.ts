import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Returns a text that identifies the start time of process `pid`. It differs for a later process with the same pid. Returns
 * null if there is no such process or it is a zombie. Returns `unknown` if the process is alive but cannot be inspected.
 */
export function processStart(pid: number): string | null {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      // The command name may contain spaces and parentheses, so the fields are counted from the last ")".
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? 'unknown')
    } catch {
      return signalReaches(pid) ? 'unknown' : null
    }
  }
  try {
    // `Date.parse` reads only English names of months.
    const inEnglish = ['LC_ALL=C', 'ps', '-o', 'lstart=', '-p', String(pid)]
    const started = execFileSync('env', inEnglish, { encoding: 'utf8' }).trim()
    return String(Date.parse(started) || 'unknown')
  } catch {
    return null
  }
}

/** Returns the arguments of process `pid`. Empty if the process is not alive. */
export function processArguments(pid: number): string[] {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(' ')
  } catch {
    return []
  }
}

function signalReaches(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
