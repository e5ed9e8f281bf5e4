import { type Command, InvalidArgumentError, Option } from 'commander'
import { print } from '../print.ts'
import { note, styled } from './note.ts'
import { jsonLine, printable } from './printable.ts'
import { type Column, formatTable } from './table.ts'

export interface OutputOptions {
  json?: boolean
}

export interface ListOptions extends OutputOptions {
  limit: number
}

/** Adds `--json` to a command. */
export function withJson(command: Command): Command {
  return command.option('--json', 'JSON for programs: one object a line')
}

/** Adds `--limit` and `--json` to a command that lists. */
export function withList(command: Command): Command {
  const limit = new Option('--limit <n>', 'how many at most, or `all`').default(50).argParser(countOrAll)
  return withJson(command.addOption(limit))
}

function countOrAll(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('must be a whole number from 1, or all.')
  return Number(text)
}

/** The columns of a list; a function if they need to know more about the rows, such as names for ids. */
export type Columns<T> = readonly Column<T>[] | ((rows: readonly T[]) => Promise<readonly Column<T>[]>)

/** Prints a list up to its limit: a table, or as it comes one object a line. Says so where there is more. */
export async function showList<T>(
  items: AsyncIterable<T>,
  { json = false, limit }: ListOptions,
  columns: Columns<T>,
  empty: string,
): Promise<void> {
  const rows: T[] = []
  let count = 0
  for await (const item of items) {
    if (count === limit) {
      note(`there is more than these ${limit}; --limit says how many to show`)
      break
    }
    count++
    if (json) print(jsonLine(item))
    else rows.push(item)
  }
  if (count === 0 && !json) note(empty)
  if (rows.length === 0) return
  const known = typeof columns === 'function' ? await columns(rows) : columns
  for (const line of formatTable(rows, known)) print(line)
}

/** Says what was done and, for programs, prints what came of it. */
export function showDone(said: string, item: unknown, { json = false }: OutputOptions): void {
  note(said)
  if (json) print(jsonLine(item))
}

/** Prints one thing: its fields, a line each, or one line of JSON. */
export function showOne<T>(item: T, { json = false }: OutputOptions, fields: readonly Column<T>[]): void {
  if (json) {
    print(jsonLine(item))
    return
  }
  const width = Math.max(...fields.map(({ title }) => title.length))
  for (const { title, value } of fields) {
    print(`${styled('bold', title.padEnd(width))}   ${printable(String(value(item) ?? '-')) || '-'}`)
  }
}
