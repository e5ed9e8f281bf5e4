import { styleText } from 'node:util'
import { printableLines } from './printable.ts'

/** A word to the person at the terminal: on standard error, for standard output holds data only. */
export function note(text: string): void {
  process.stderr.write(`${printableLines(text)}\n`)
}

type Format = Parameters<typeof styleText>[0]

/** Text in a colour, where standard output is a terminal that wants it; `NO_COLOR` is respected. */
export function styled(format: Format, text: string): string {
  return styleText(format, text, { stream: process.stdout })
}
