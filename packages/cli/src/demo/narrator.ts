import { once } from 'node:events'
import { styled } from '../output/note.ts'
import { printable } from '../output/printable.ts'
import { print } from '../print.ts'

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

/** Tells on standard output what is done, by whom, what came of it and why. */
export interface Narrator {
  /** The step that is being shown, for the word about a failure. */
  current(): string
  /** Begins a step; in a paced demonstration once Enter is pressed. */
  step(title: string): Promise<void>
  say(line: string): void
  /** What came of something. */
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

/** The terminal stays as it is, so that Ctrl-C is a signal as ever. */
async function enter(signal: AbortSignal): Promise<void> {
  process.stdout.write(styled('dim', '   Enter goes on '))
  await once(process.stdin.resume(), 'data', { signal })
  process.stdin.pause()
}
