import { styled } from './note.ts'
import { printable } from './printable.ts'
import { textWidth } from './text-width.ts'

export interface Column<T> {
  title: string
  /** Null and undefined are shown as `-`. */
  value: (row: T) => string | number | null | undefined
  color?: (row: T) => 'red' | 'green' | 'yellow' | undefined
}

const gap = '   '

/** Formats rows as aligned columns under a heading. The last column is not padded. */
export function formatTable<T>(rows: readonly T[], columns: readonly Column<T>[]): string[] {
  const cells = rows.map((row) => columns.map(({ value }) => printable(String(value(row) ?? '-')) || '-'))
  const widths = columns.map(({ title }, at) => Math.max(title.length, ...cells.map((row) => textWidth(row[at]!))))
  const padded = (text: string, at: number) =>
    at === columns.length - 1 ? text : text + ' '.repeat(widths[at]! - textWidth(text))
  const heading = styled('bold', columns.map(({ title }, at) => padded(title, at)).join(gap))
  return [
    heading,
    ...cells.map((row, of) => row.map((text, at) => colored(padded(text, at), columns[at]!, rows[of]!)).join(gap)),
  ]
}

function colored<T>(text: string, { color }: Column<T>, row: T): string {
  const name = color?.(row)
  return name ? styled(name, text) : text
}

/** Formats an ISO 8601 time as `2026-01-31 09:05` in UTC. The column heading names the time zone. */
export function minute(timestamp: string | null | undefined): string | undefined {
  return timestamp ? timestamp.slice(0, 16).replace('T', ' ') : undefined
}
