import type { Command } from 'commander'
import { Failure } from '../invocation/failure.ts'
import { ask } from './ask.ts'
import { printable } from './printable.ts'

export interface ConfirmOptions {
  yes?: boolean
}

/** Asks before an action that cannot be undone. @throws Failure if the person declines, or there is no terminal */
export async function confirm(question: string, { yes = false }: ConfirmOptions): Promise<void> {
  if (yes) return
  const answer = await ask(`${printable(question)} Type yes to continue: `, 'give --yes to skip the question')
  if (answer.trim().toLowerCase() !== 'yes') throw new Failure('canceled; nothing was changed')
}

/** Adds `--yes` to a command that asks. */
export function withYes(command: Command): Command {
  return command.option('--yes', 'do not ask for confirmation')
}
