import { WriteStream } from 'node:tty'
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
  const isColored = (stdout.isTTY || env.FORCE_COLOR !== undefined) && WriteStream.prototype.getColorDepth(env) > 2
  return isColored ? styleText(format, text, { validateStream: false }) : text
}
