import { invocation } from '../invocation/invocation.ts'

/** Writes a line to standard output. */
export function print(text: string): void {
  invocation().stdout.write(`${text}\n`)
}
