import { usageFailure } from '../invocation/failure.ts'

/** Splits a `key=value` argument at the first `=`. @throws Failure if the argument has another form */
export function pairOf(option: string, word: string): [string, string] {
  const at = word.indexOf('=')
  if (at < 1) throw usageFailure(`${option} must be key=value, not ${word}`)
  return [word.slice(0, at), word.slice(at + 1)]
}
