import type { CompiledRule } from './compile-rule.ts'
import { matchesName, type Pattern, parsePattern, parseToolName, type ToolName } from './pattern.ts'
import { decodePercentCodes } from './percent-codes.ts'

/**
 * Finds tool names that look like a name in the rules but are spelled differently. Built once for each compiled policy. A skeleton is the
 * simplified form in which names are compared.
 */
export type LookAlikes = {
  /**
   * Patterns without stars, by skeleton (the form in which look-alike names are equal). A pattern may have several skeletons.
   */
  literals: ReadonlyMap<string, readonly Pattern[]>
  /** Patterns with stars that equal their only skeleton (simplified form). `otherGlobs` has the other patterns with stars. */
  plainGlobs: readonly GlobLook[]
  otherGlobs: readonly GlobLook[]
  /** Cached results, keyed by tool name. */
  known: Map<string, string | null>
}

type GlobLook = { pattern: Pattern; skeletons: readonly Pattern[] }

/** Maximum number of times that percent codes are decoded. Once is not enough, because a tool server may decode a name again. */
const decodingRounds = 3
const mostKnown = 5000
const longestKnown = 300
const percentCode = /%[0-9A-Fa-f]{2}/
// Control characters, format characters, private-use characters, unassigned code points, surrogates, and other invisible characters.
const invisible = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800\u115f\u1160\u3164\uffa0]/u
const invisibles = new RegExp(invisible, 'gu')
const separators = /[\s\p{Z}/\\]/gu
const marks = /\p{M}/gu

/**
 * Letters of other scripts, digits and symbols that look like ASCII letters. Names are converted to lower case before this table is used.
 */
const confusables = new Map(
  Object.entries({
    a: 'аɑα',
    b: 'ьв',
    c: 'сϲᴄ',
    d: 'ԁ',
    e: 'еҽ℮',
    f: 'ƒϝ',
    g: 'ɡց',
    h: 'һհн',
    i: 'іıɩιӏ',
    j: 'јϳ',
    k: 'кκ',
    l: '1|ⅼǀ',
    m: 'м',
    n: 'ոп',
    o: '0оοօσ',
    p: 'рρ',
    q: 'ԛգ',
    r: 'гᴦ',
    s: 'ѕꜱ',
    t: 'тτ',
    u: 'υսᴜ',
    v: 'νѵᴠ',
    w: 'ѡԝᴡ',
    x: 'хχ',
    y: 'уγү',
    z: 'ᴢ',
    '-': '‐‑‒–—―−⁃﹘',
    _: '‿⁀',
    '.': '․·•。',
  }).flatMap(([ascii, others]) => [...others].map((other) => [other, ascii] as const)),
)
const pairs = /rn|vv/g
const pair = /rn|vv/
/** Matches a plain name: printable ASCII, except the percent sign and the backslash. It has no percent codes, marks or invisible characters. */
const plainName = /^[!-$&-[\]-~]*$/
/** The characters of a plain name in lower case that look like a letter. */
const plainConfusable = /[01|]/
const plainConfusables = /[01|]/g

/** Prepares the patterns of all rules for `findLookAlike`, which finds a tool name that only looks like a name in the rules. */
export function compileLookAlikes(rules: readonly CompiledRule[]): LookAlikes {
  const literals = new Map<string, Pattern[]>()
  const plainGlobs: GlobLook[] = []
  const otherGlobs: GlobLook[] = []
  const seen = new Set<string>()
  for (const pattern of rules.flatMap(({ patterns }) => patterns)) {
    if (pattern.any || seen.has(pattern.text)) continue
    seen.add(pattern.text)
    const forms = skeletonsOf(pattern.text)
    if (!pattern.text.includes('*')) {
      for (const form of forms) {
        const same = literals.get(form)
        if (same) same.push(pattern)
        else literals.set(form, [pattern])
      }
      continue
    }
    const skeletons = forms.flatMap((text) => {
      const parsed = parsePattern(text)
      return parsed.ok ? [parsed.pattern] : []
    })
    const isPlain = forms.length === 1 && forms[0] === pattern.text
    ;(isPlain ? plainGlobs : otherGlobs).push({ pattern, skeletons })
  }
  return { literals, plainGlobs, otherGlobs, known: new Map() }
}

/**
 * Returns the text of a pattern that the tool name looks like but does not match, or null if no such pattern exists. Two names look alike if they
 * are equal after these steps: decoding, compatibility normalization (NFKC), conversion to lower case, removal of invisible characters,
 * marks, white space and slashes, and replacement of characters that look like ASCII letters. A name that equals a pattern without stars
 * counts as correct and is not compared with others.
 */
export function findLookAlike(looks: LookAlikes, tool: string): string | null {
  const before = looks.known.get(tool)
  if (before !== undefined) return before
  const name = parseToolName(tool)
  const found = name === null ? null : search(looks, tool, name)
  if (looks.known.size >= mostKnown) looks.known.clear()
  if (tool.length <= longestKnown) looks.known.set(tool, found)
  return found
}

function search(looks: LookAlikes, tool: string, name: ToolName): string | null {
  const forms = skeletonsOf(tool)
  const alike = forms.flatMap((form) => looks.literals.get(form) ?? [])
  if (alike.some(({ text }) => text === tool)) return null
  const [literal] = alike
  if (literal) return literal.text
  const isPlain = forms.length === 1 && forms[0] === tool
  const folded = forms.map(parseToolName)
  const isAlike = ({ pattern, skeletons }: GlobLook) =>
    skeletons.some((skeleton) => folded.some((form) => matchesName(skeleton, form))) && !matchesName(pattern, name)
  const found = looks.otherGlobs.find(isAlike) ?? (isPlain ? undefined : looks.plainGlobs.find(isAlike))
  return found?.pattern.text ?? null
}

/** Whether a tool name has control characters, invisible characters, or several slashes in a row, after decoding. */
export function isObscured(tool: string): boolean {
  const name = decode(tool)
  return invisible.test(name) || /[/\\]{2}/.test(name)
}

/**
 * Returns the skeletons of a name: simplified forms that are equal for names that look alike. A name with a capital I has two
 * skeletons, because this letter can look like an i or like an l.
 */
export function skeletonsOf(tool: string): string[] {
  const colon = tool.indexOf(':') + 1
  const [namespace = '', ...rest] = tool.slice(colon).split('/')
  const kind = tool.slice(0, colon)
  const operation = rest.join('/')
  const isPlain = rest.length === 1 && plainName.test(tool)
  const read = isPlain ? foldPlain : fold
  const first = `${kind}${read(namespace)}/${read(operation)}`
  if (isPlain && !tool.includes('I')) return [first]
  const second = `${kind}${read(namespace, capitalAsL)}/${read(operation, capitalAsL)}`
  return first === second ? [first] : [first, second]
}

const capitalAsL = (text: string) => text.replaceAll('I', 'l')

function fold(segment: string, read = (text: string) => text): string {
  const visible = decode(segment).normalize('NFKC').replace(invisibles, '').replace(separators, '')
  const letters = read(visible).toLowerCase().normalize('NFD').replace(marks, '').replaceAll('ß', 'ss')
  let ascii = ''
  for (const character of letters) ascii += confusables.get(character) ?? character
  return foldPairs(ascii)
}

/** Does the same as `fold`, only faster, for a segment of a plain name. Nearly all names are plain. */
function foldPlain(segment: string, read = (text: string) => text): string {
  const letters = read(segment).toLowerCase()
  const ascii = plainConfusable.test(letters)
    ? letters.replace(plainConfusables, (character) => (character === '0' ? 'o' : 'l'))
    : letters
  return foldPairs(ascii)
}

const foldPairs = (text: string): string =>
  pair.test(text) ? text.replace(pairs, (found) => (found === 'rn' ? 'm' : 'w')) : text

function decode(text: string): string {
  let decoded = text
  for (let round = 0; round < decodingRounds && percentCode.test(decoded); round++)
    decoded = decodePercentCodes(decoded)
  return decoded
}
