import { once } from 'node:events'
import { invocation } from '../invocation/invocation.ts'
import { styled } from '../output/note.ts'
import { print } from '../output/print.ts'
import { printable } from '../output/printable.ts'

const colors = {
  ALLOWED: 'green',
  DENIED: 'red',
  HELD: 'yellow',
  FOUND: 'red',
  CLOSED: 'green',
  VERIFIED: 'green',
} as const
export type Mark = keyof typeof colors

const markWidth = Math.max(...Object.keys(colors).map((mark) => mark.length))

/** Prints each step of the demonstration on standard output: who does what, the result and the reason. */
export interface Narrator {
  /** The current step, for error messages. */
  current(): string
  /** Starts a step. In a paced demonstration it first waits for Enter. */
  step(title: string): Promise<void>
  say(line: string): void
  /** Prints a result. */
  mark(mark: Mark, line: string): void
}

export function createNarrator(pace: boolean, signal: AbortSignal): Narrator {
  let count = 0
  let shown = 'the start'
  return {
    current: () => shown,
    async step(title) {
      signal.throwIfAborted()
      count++
      shown = `step ${count}, “${title}”`
      print('')
      if (pace) await enter(signal)
      print(styled('bold', `${count}. ${title}`))
    },
    say: (line) => print(`   ${printable(line)}`),
    mark: (mark, line) => print(`   ${styled(colors[mark], mark.padEnd(markWidth))}  ${printable(line)}`),
  }
}

/** Waits for Enter. Does not change the terminal's mode, so that Ctrl-C still sends a signal. */
async function enter(signal: AbortSignal): Promise<void> {
  const { stdin, stdout } = invocation()
  stdout.write(styled('dim', '   Press Enter to continue '))
  await once(stdin.resume(), 'data', { signal })
  stdin.pause()
}
