import { createRequire } from 'node:module'
import type { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { onEnglishKeyboard } from './common-passwords.ts'
import { isKnownSequence } from './known-sequences.ts'
import { isInSimpleOrder, type Keyboard, outsideWalks } from './simple-order.ts'

/** The time for an estimate grows with the square of the length, on the thread that serves requests. So only slices are estimated. */
const sliceLength = 64
/** A password that needs fewer guesses is refused. */
const fewestGuesses = 1e8

interface Estimators {
  /** Knows common passwords and words. */
  guesses: ZxcvbnFactory
  /** Knows no words, so it finds keyboard walks and sequences that words would hide. */
  patterns: ZxcvbnFactory
  keyboards: readonly Keyboard[]
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
    keyboards: Object.values(keyboards).map(
      (graph) => new Map(Object.entries(graph).map(([key, neighbours]) => [key, neighbours.join('')])),
    ),
  }
}

/**
 * Returns true if an attacker needs fewer than 10^8 guesses. Also true if the password consists of sequences such as `0987654321` or
 * `onetwothreefour`, of keyboard walks, or of repeats, with or without separators. Only the first and the last 64 characters are looked at. The
 * password passes if one of these two slices is hard to guess.
 */
export function isEasyToGuess(password: string): boolean {
  const characters = [...password]
  const slices = new Set([characters.slice(0, sliceLength).join(''), characters.slice(-sliceLength).join('')])
  return [...slices].every((slice) => isEasySlice(slice) || isEasyOnEnglishKeyboard(slice))
}

function isEasyOnEnglishKeyboard(slice: string): boolean {
  const typed = onEnglishKeyboard(slice)
  // Without letters of other keyboards, only the case would differ, and mixed case is harder to guess.
  return typed !== slice.toLowerCase() && isEasySlice(typed)
}

/** The longest text whose repetition is easy to guess. */
const longestRepeated = 4

/** True if the slice repeats a few characters. The last repeat may be cut. */
function isRepeat(slice: string): boolean {
  const units = Array.from({ length: longestRepeated }, (_, index) => index + 1)
  return units.some((unit) => slice.length > 2 * unit && slice.slice(unit) === slice.slice(0, -unit))
}

function isEasySlice(slice: string): boolean {
  if (isRepeat(slice) || isKnownSequence(slice)) return true
  estimators ??= loadEstimators()
  if (estimators.guesses.check(slice).guesses < fewestGuesses) return true
  const { patterns, keyboards } = estimators
  if (isInSimpleOrder(slice, keyboards)) return true
  const { sequence } = patterns.check(slice.toLowerCase())
  const others = sequence.filter(({ pattern }) => !['spatial', 'sequence', 'repeat'].includes(pattern))
  // The estimator takes a short walk beside other patterns for random characters, because it has few guesses either way.
  const leastOutside = ({ token }: { token: string }) =>
    Math.min(...keyboards.map((keyboard) => outsideWalks([...token], keyboard)))
  return others.reduce((sum, one) => sum + leastOutside(one), 0) <= Math.max(2, slice.length / 5)
}
