import { invocation, processInvocation } from '../invocation/invocation.ts'

/** Writes a line to standard output. */
export function print(text: string): void {
  invocation().stdout.write(`${text}\n`)
}

/**
 * For a command that only prints from here on, and may print for long: if the output is closed, for example by `head`, the process ends, with the
 * exit code that is set.
 */
export function endWithOutput(): void {
  if (invocation() === processInvocation) process.stdout.on('error', () => process.exit())
}
