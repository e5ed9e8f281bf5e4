import { styleText } from 'node:util'
import { invocation } from '../invocation/invocation.ts'
import { printableLines } from './printable.ts'

/** Prints a message for people on standard error, because standard output contains only data. */
export function note(text: string): void {
  invocation().stderr.write(`${printableLines(text)}\n`)
}

type Format = Parameters<typeof styleText>[0]

/** Colors text if standard output is a terminal with color support. Respects `NO_COLOR`. */
export function styled(format: Format, text: string): string {
  const { stdout, env } = invocation()
  if (!stdout.isTTY && env.FORCE_COLOR === undefined) return text
  // Not imported, because most programs that start the command line read its output without colors.
  const { WriteStream } = process.getBuiltinModule('node:tty')
  return WriteStream.prototype.getColorDepth(env) > 2 ? styleText(format, text, { validateStream: false }) : text
}
