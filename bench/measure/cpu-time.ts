import { readdirSync, readFileSync } from 'node:fs'

const microsecondsATick = 10_000

/** CPU time of a process in microseconds. `withChildren` adds its running and exited children. Linux only. */
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

/** Reads /proc/<pid>/stat (see proc(5)). Returns zeros if the process has just exited. */
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
