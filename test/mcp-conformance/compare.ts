import type { Results } from './run-suite.ts'

/** Compares results: counts of each status per way, then every check whose result differs from the first way. */
export function compare(results: ReadonlyMap<string, Results>): { table: string; differing: number } {
  const ways = [...results.keys()]
  const all = [...results.values()]
  const statuses = [...new Set(all.flatMap((checks) => [...checks.values()].map(({ status }) => status)))].sort()
  const rows = statuses.map((status) => [status, ...all.map((checks) => String(countOf(checks, status)))])
  const keys = [...new Set(all.flatMap((checks) => [...checks.keys()]))].filter((key) => !areAlike(all, key))
  const differing = keys.map((key) => [key, ...all.map((checks) => textOf(checks, key))])
  const lines = [['', ...ways], ['---', ...ways.map(() => '---')], ...rows, ...differing]
  return { table: lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n'), differing: keys.length }
}

function areAlike(all: readonly Results[], key: string): boolean {
  return new Set(all.map((checks) => textOf(checks, key))).size === 1
}

function countOf(checks: Results, status: string): number {
  return [...checks.values()].filter((check) => check.status === status).length
}

function textOf(checks: Results, key: string): string {
  const check = checks.get(key)
  if (!check) return 'absent'
  return check.fault === '' ? check.status : `${check.status}: ${check.fault}`
}
