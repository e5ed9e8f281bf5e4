import { usageFailure } from './failure.ts'

/** The two parts of a `key=value` word. @throws Failure naming the option that the word was given to */
export function pairOf(option: string, word: string): [string, string] {
  const at = word.indexOf('=')
  if (at < 1) throw usageFailure(`${option} takes key=value, not ${word}`)
  return [word.slice(0, at), word.slice(at + 1)]
}
