import { type Command, InvalidArgumentError, Option } from 'commander'
import { dataFormat, type OutputOptions, printData, withOutput } from './format.ts'
import { note, styled } from './note.ts'
import { endWithOutput, print } from './print.ts'
import { jsonLine, printable } from './printable.ts'
import { type Column, formatTable } from './table.ts'

export interface ListOptions extends OutputOptions {
  limit: number
}

/** Adds `--limit` and the output options to a list command. */
export function withList(command: Command): Command {
  const limit = new Option('--limit <n>', 'the maximum number to show, or `all`').default(50).argParser(countOrAll)
  return withOutput(command.addOption(limit))
}

function countOrAll(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('The value must be a whole number of at least 1, or the word all.')
  return Number(text)
}

/** The columns of a list. Or a function that first loads more data for the rows, such as names for ids, and returns the columns. */
export type Columns<T> = readonly Column<T>[] | ((rows: readonly T[]) => Promise<readonly Column<T>[]>)

/** Prints a list up to its limit, as a table or as data for programs. Prints a note if the list is longer. */
export async function showList<T>(
  items: AsyncIterable<T>,
  options: ListOptions,
  columns: Columns<T>,
  empty: string,
): Promise<void> {
  endWithOutput()
  await showItems(items, options, columns, empty)
}

async function showItems<T>(
  items: AsyncIterable<T>,
  options: ListOptions,
  columns: Columns<T>,
  empty: string,
): Promise<void> {
  const format = dataFormat(options)
  // Prints each item as it arrives, so that a long list does not fill the memory.
  const isStreamed = format === 'lines' && options.query === undefined
  const rows: T[] = []
  let count = 0
  for await (const item of items) {
    if (count === options.limit) {
      note(`the list is longer than ${options.limit}; use --limit to show more`)
      break
    }
    count++
    if (isStreamed) print(jsonLine(item))
    else rows.push(item)
  }
  if (isStreamed) return
  if (format) return printData(rows, format, options)
  if (rows.length === 0) return note(empty)
  const known = typeof columns === 'function' ? await columns(rows) : columns
  for (const line of formatTable(rows, known)) print(line)
}

/** Like `showList`, but prints all items of an array. */
export async function showRows<T>(
  rows: readonly T[],
  options: OutputOptions,
  columns: Columns<T>,
  empty: string,
): Promise<void> {
  async function* items(): AsyncGenerator<T> {
    yield* rows
  }
  await showItems(items(), { ...options, limit: Number.POSITIVE_INFINITY }, columns, empty)
}

/** Prints a success message, and the changed item if a format for programs is requested. */
export function showDone(message: string, item: unknown, options: OutputOptions): void {
  const format = dataFormat(options)
  note(message)
  if (format) printData(item, format, options)
}

/** Prints one item: one line per field, or data for programs. */
export function showOne<T>(item: T, options: OutputOptions, fields: readonly Column<T>[]): void {
  const format = dataFormat(options)
  if (format) {
    printData(item, format, options)
    return
  }
  const width = Math.max(...fields.map(({ title }) => title.length))
  for (const { title, value } of fields) {
    print(`${styled('bold', title.padEnd(width))}   ${printable(String(value(item) ?? '-')) || '-'}`)
  }
}
