import { keyboardRows, knownOrders } from './keyboard-rows.ts'

/** The neighbours of each key. */
export type Keyboard = ReadonlyMap<string, string>

const asHiragana = (text: string) => text.replace(/[ァ-ヶ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60))

/** The keys of a text: syllables of Hangul take several. */
const keysOf = (text: string) => [
  ...asHiragana(text.toLowerCase()).replace(/\p{Script=Hangul}/gu, (one) => one.normalize('NFKD')),
]

const neighboursIn = (rows: readonly string[]): Keyboard =>
  new Map(
    rows.map(keysOf).flatMap((row) => row.map((key, at) => [key, row.slice(Math.max(0, at - 1), at + 2).join('')])),
  )

const otherKeyboards = [...keyboardRows, ...knownOrders.map((order) => [order])].map(neighboursIn)

/** The longest step of a sequence: `acegi` has steps of two. */
const longestStep = 5
/** A separator is one of at most this many characters. A password with more of them has random symbols. */
const mostSeparators = 2

/**
 * True if the text is a sequence, a walk on a keyboard or a count, also with separators in it, with doubled characters, or with the characters of two
 * of them in turns.
 */
export function isInSimpleOrder(text: string, keyboards: readonly Keyboard[]): boolean {
  const all = [...otherKeyboards, ...keyboards]
  const keys = keysOf(text)
  const forms = [keys, withoutSeparators(keys)].flatMap((form) => [form, withoutDoubles(form)])
  const isShort = (outside: number, { length }: readonly string[]) => outside <= length / 10
  return forms.some((form) => {
    const halves = [0, 1].map((rest) => form.filter((_, at) => at % 2 === rest))
    const inTurns = halves.reduce((sum, half) => sum + outsideOrders(half, all), 0)
    return isShort(outsideOrders(form, all), form) || inTurns === 0 || isCount(form.join(''))
  })
}

/** Removes the characters that are no letters and no digits, if there are at most two different ones. */
export function withoutSeparators(keys: readonly string[]): readonly string[] {
  const separators = new Set(keys.filter((key) => !/[\p{L}\p{N}\p{M}]/u.test(key)))
  return separators.size > mostSeparators ? keys : keys.filter((key) => !separators.has(key))
}

const withoutDoubles = (keys: readonly string[]) => keys.filter((key, at) => key !== keys[at - 1])

/** Counts the characters that are in no sequence and in no walk, with the keyboard that leaves the fewest. */
function outsideOrders(keys: readonly string[], keyboards: readonly Keyboard[]): number {
  return Math.min(outsideSequences(keys), ...keyboards.map((keyboard) => outsideWalks(keys, keyboard)))
}

/** Counts the characters that are not in a walk over three or more keys. */
export function outsideWalks(keys: readonly string[], keyboard: Keyboard): number {
  return outsideRuns(keys.length, (at) => keyboard.get(keys[at - 1]!)?.includes(keys[at]!) ?? false)
}

function outsideSequences(keys: readonly string[]): number {
  const codes = keys.map((key) => key.codePointAt(0)!)
  const stepTo = (at: number) => codes[at]! - codes[at - 1]!
  return outsideRuns(codes.length, (at, first) => {
    const step = stepTo(at)
    return Math.abs(step) <= longestStep && (at - first === 1 || step === stepTo(at - 1))
  })
}

/** Counts the places that are not in a run of three or more. `goesOn` tells whether a place belongs to the run that begins at `first`. */
function outsideRuns(length: number, goesOn: (at: number, first: number) => boolean): number {
  let outside = 0
  let first = 0
  for (let at = 1; at <= length; at++) {
    if (at < length && goesOn(at, first)) continue
    if (at - first < 3) outside += at - first
    first = at
  }
  return outside
}

/** True for numbers in equal steps, such as `24681012`. The last number may be cut. */
function isCount(text: string): boolean {
  if (!/^[0-9]{8,}$/.test(text)) return false
  const sizes = [1, 2, 3]
  return sizes.some((size) =>
    sizes.some((next) => countsFrom(text, Number(text.slice(0, size)), Number(text.slice(size, size + next)))),
  )
}

function countsFrom(text: string, first: number, second: number): boolean {
  const step = second - first
  let written = ''
  for (let number = first; number >= 0 && written.length < text.length; number += step) written += number
  return written.startsWith(text)
}
