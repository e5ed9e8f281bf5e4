import { readdirSync, readFileSync } from 'node:fs'

const microsecondsATick = 10_000

/** What a process has used, in microseconds; with its children, those that have ended included. Linux only. */
export function cpuTimeOf(pid: number, { withChildren }: { withChildren: boolean }): number {
  const { own, ended } = ticksOf(pid)
  if (!withChildren) return own * microsecondsATick
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .map(ticksOf)
    .filter(({ parent }) => parent === pid)
  return (own + ended + children.reduce((sum, child) => sum + child.own, 0)) * microsecondsATick
}

/** Fields of /proc/<pid>/stat, by proc(5); zeros for a process that has just gone. */
function ticksOf(pid: number): { parent: number; own: number; ended: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const field = (number: number) => Number(fields[number - 3])
    return { parent: field(4), own: field(14) + field(15), ended: field(16) + field(17) }
  } catch {
    return { parent: 0, own: 0, ended: 0 }
  }
}
