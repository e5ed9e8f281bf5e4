import type { Command } from 'commander'
import { Failure, usageFailure } from '../failure.ts'
import { ask } from '../login/ask.ts'
import { printable } from './printable.ts'

export interface ConfirmOptions {
  yes?: boolean
}

/** Asks before something is done that cannot be taken back. @throws Failure if the person says no, or cannot be asked */
export async function confirm(question: string, { yes = false }: ConfirmOptions): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY) throw usageFailure('there is no terminal to ask at', 'give --yes to do it without asking')
  const answer = await ask(`${printable(question)} Type yes to go on: `)
  if (answer.trim().toLowerCase() !== 'yes') throw new Failure('nothing was done')
}

/** Adds `--yes` to a command that asks. */
export function withYes(command: Command): Command {
  return command.option('--yes', 'do it without asking')
}
