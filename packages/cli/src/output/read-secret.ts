import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { usageFailure } from '../invocation/failure.ts'
import { invocation } from '../invocation/invocation.ts'
import { askSecret } from './ask.ts'

export interface SecretOptions {
  secretStdin?: boolean
}

/** Adds `--secret-stdin`. A secret is never an argument, because other users of the machine see the arguments of a process. */
export function withSecret(command: Command): Command {
  return command.option('--secret-stdin', 'read the secret from standard input instead of asking for it')
}

/** Asks for a secret, or reads it from standard input. @throws Failure if it is empty */
export async function readSecret({ secretStdin = false }: SecretOptions): Promise<string> {
  return secretStdin ? await secretFromStdin() : await askForSecret()
}

/** Asks for a secret without showing it. */
export function askForSecret(): Promise<string> {
  return askSecret('Secret: ', 'give the secret on standard input with --secret-stdin')
}

/** Reads a secret from standard input, without the line break at its end. */
export async function secretFromStdin(): Promise<string> {
  const secret = (await text(invocation().stdin)).replace(/\r?\n$/, '')
  if (secret === '') throw usageFailure('standard input contains no secret')
  return secret
}
