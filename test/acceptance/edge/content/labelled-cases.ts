import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publishedWithoutMark } from './published-without-mark.ts'

/** A case whose outcome is known. An attack is marked if it has something that a pattern can find. */
export interface Labelled {
  id: string
  expected: 'attack' | 'benign'
  marked?: boolean
  carrier?: string | null
  /** Where a published case comes from: `<owner>/<repository>@<commit> <path>`. */
  source?: string
}

export const root = fileURLToPath(new URL('../../../../', import.meta.url))
/** The page with the measurements. */
export const page = join(root, 'docs/security.md')
/** The folder with the project's own cases. */
export const ownCorpora = join(root, 'test/corpora')
const besideTheProject = join(root, '../shared/corpora')
/** A folder with further cases of the same form. Undefined if it does not exist. */
export const published = process.env.MANDATE_CORPORA ?? (existsSync(besideTheProject) ? besideTheProject : undefined)

/** Reads a file of cases, one JSON object a line. Empty if there is no such file. */
export function casesOf<C extends Labelled>(folder: string, file: string): C[] {
  const path = join(folder, file)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => {
    const one: C = JSON.parse(line.replaceAll('{{}}', ''))
    return one.id in publishedWithoutMark ? { ...one, marked: false } : one
  })
}

/** What was expected of the cases of a carrier, and what happened. */
export interface Measured {
  carrier: string
  marked: number
  found: number
  unmarked: number
  unmarkedFound: number
  benign: number
  alarms: number
}

/** The actual outcomes of a set of cases. */
export interface Outcomes {
  rows: Measured[]
  /** The ids of attacks with a mark that were not found. */
  missed: string[]
  /** The ids of benign cases that were found. */
  falseAlarms: string[]
  /** The public repositories of the cases. */
  repositories: string[]
}

/** Compares the expected with the actual outcome of each case, by what carries it. */
export async function measure<C extends Labelled>(
  cases: readonly C[],
  isFound: (one: C) => Promise<boolean>,
): Promise<Outcomes> {
  const rows = new Map<string, Measured>()
  const missed: string[] = []
  const falseAlarms: string[] = []
  for (const one of cases) {
    const { id, expected, marked = true } = one
    const carrier = one.carrier ?? 'ordinary tool'
    const row = rows.get(carrier) ?? {
      carrier,
      marked: 0,
      found: 0,
      unmarked: 0,
      unmarkedFound: 0,
      benign: 0,
      alarms: 0,
    }
    rows.set(carrier, row)
    const isHit = await isFound(one)
    if (expected === 'benign') {
      row.benign++
      row.alarms += Number(isHit)
      if (isHit) falseAlarms.push(id)
    } else if (marked) {
      row.marked++
      row.found += Number(isHit)
      if (!isHit) missed.push(id)
    } else {
      row.unmarked++
      row.unmarkedFound += Number(isHit)
    }
  }
  const sorted = [...rows.values()].toSorted((one, other) => (one.carrier < other.carrier ? -1 : 1))
  const repositories = new Set(cases.flatMap(({ source }) => source?.split('@')[0] ?? []))
  return { rows: sorted, missed, falseAlarms, repositories: [...repositories].sort() }
}

export const sumOf = (rows: readonly Measured[], field: Exclude<keyof Measured, 'carrier'>) =>
  rows.reduce((sum, row) => sum + row[field], 0)

/** Returns what is wrong with the outcomes of a set, with the ids of the cases. Empty if enough was found. */
export function complaintsAbout(
  name: string,
  { rows, missed, falseAlarms }: Outcomes,
  limits: { leastFound: number; mostAlarms: number },
): string[] {
  const complaints: string[] = []
  if (sumOf(rows, 'found') < limits.leastFound * sumOf(rows, 'marked'))
    complaints.push(`${name}: not found: ${missed.join(', ')}`)
  if (sumOf(rows, 'alarms') > limits.mostAlarms * sumOf(rows, 'benign'))
    complaints.push(`${name}: false alarms: ${falseAlarms.join(', ')}`)
  return complaints
}

/** The project's own sets are large enough to say something. */
export function isLarge({ rows }: Outcomes): boolean {
  return sumOf(rows, 'marked') + sumOf(rows, 'unmarked') >= 100 && sumOf(rows, 'benign') >= 200
}

export function tableOf({ rows, missed, falseAlarms, repositories }: Outcomes): string {
  const part = (found: number, all: number) => (all === 0 ? '' : `${found} of ${all}`)
  const total = {
    carrier: '**all**',
    ...Object.fromEntries(
      ['marked', 'found', 'unmarked', 'unmarkedFound', 'benign', 'alarms'].map((field) => [
        field,
        sumOf(rows, field as 'found'),
      ]),
    ),
  } as Measured
  const lines = [...rows, total].map(
    ({ carrier, marked, found, unmarked, unmarkedFound, benign, alarms }) =>
      `| ${carrier} | ${part(found, marked)} | ${part(unmarkedFound, unmarked)} | ${part(alarms, benign)} |`,
  )
  return [
    '| Carrier | Found, with a mark | Found, without a mark | False alarms |',
    '|---|---|---|---|',
    ...lines,
    '',
    `Not found, with a mark: ${listOf(missed)}. False alarms: ${listOf(falseAlarms)}.`,
    ...(repositories.length === 0 ? [] : [`Repositories on GitHub: ${listOf(repositories)}.`]),
  ].join('\n')
}

const listOf = (words: readonly string[]) =>
  words.length === 0 ? 'none' : words.map((word) => `\`${word}\``).join(', ')

/** Replaces a table of `docs/security.md`. */
export function withTable(text: string, name: string, table: string): string {
  const [begin, end] = [`<!-- measured: ${name} -->`, `<!-- end of ${name} -->`]
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error(`docs/security.md has no place for ${name}`)
  return `${before}${begin}\n${table}\n${end}${after}`
}
