import { styleText } from 'node:util'
import { printableLines } from './printable.ts'

/** Prints a message for people on standard error, because standard output contains only data. */
export function note(text: string): void {
  process.stderr.write(`${printableLines(text)}\n`)
}

type Format = Parameters<typeof styleText>[0]

/** Colors text if standard output is a terminal with color support. Respects `NO_COLOR`. */
export function styled(format: Format, text: string): string {
  return styleText(format, text, { stream: process.stdout })
}
