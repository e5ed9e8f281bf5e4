import { createRequire } from 'node:module'
import type { ZxcvbnFactory } from '@zxcvbn-ts/core'

/** The time for an estimate grows with the square of the length, on the thread that serves requests. So only slices are estimated. */
const sliceLength = 64
/** A password that needs fewer guesses is refused. */
const fewestGuesses = 1e8

interface Estimators {
  /** Knows common passwords and words. */
  guesses: ZxcvbnFactory
  /** Knows no words, so it finds keyboard walks and sequences that words would hide. */
  patterns: ZxcvbnFactory
}

let estimators: Estimators | undefined

/** Loads the estimators with their list of passwords at the first use, because it takes 150 ms and 18 MB. */
function loadEstimators(): Estimators {
  const require = createRequire(import.meta.url)
  const { ZxcvbnFactory: Factory } = require('@zxcvbn-ts/core') as typeof import('@zxcvbn-ts/core')
  const { dictionary, adjacencyGraphs } =
    require('@zxcvbn-ts/language-common') as typeof import('@zxcvbn-ts/language-common')
  // On a number pad most digits are neighbours, so random digits would be walks.
  const { keypad: _, keypadMac: __, ...keyboards } = adjacencyGraphs
  return {
    guesses: new Factory({ dictionary, graphs: adjacencyGraphs }),
    patterns: new Factory({ dictionary: {}, graphs: keyboards }),
  }
}

/**
 * True if an attacker needs few guesses, or if the password is only sequences such as `0987654321`, keyboard walks and repeats. Of a long
 * password, the first and the last 64 characters are estimated; one of them that is hard to guess is enough.
 */
export function isEasyToGuess(password: string): boolean {
  const characters = [...password]
  const slices = new Set([characters.slice(0, sliceLength).join(''), characters.slice(-sliceLength).join('')])
  return [...slices].every(isEasySlice)
}

function isEasySlice(slice: string): boolean {
  estimators ??= loadEstimators()
  if (estimators.guesses.check(slice).guesses < fewestGuesses) return true
  const { sequence } = estimators.patterns.check(slice.toLowerCase())
  const others = sequence.filter(({ pattern }) => !['spatial', 'sequence', 'repeat'].includes(pattern))
  return others.reduce((sum, { token }) => sum + token.length, 0) <= Math.max(2, slice.length / 5)
}
