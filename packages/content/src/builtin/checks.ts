import { cardLengthAt, ibanLengthAt, isCardNumber, isSocialSecurityNumber } from '../check-digits.ts'
import type { CheckName, Span } from '../definition.ts'
import { nativeExpression } from '../native-expression.ts'
import { discloseExpression, markExpression, otherLanguageExpression, overrideExpression } from './instructions.ts'

/** Tests a match of a built-in pattern. Returns the match, its beginning, or null if the test fails. */
export type Check = (text: string, span: Span) => Span | null

const accept = (test: (match: string, text: string, span: Span) => boolean): Check => {
  return (text, span) => (test(text.slice(span.start, span.end), text, span) ? span : null)
}
const digitsOf = (text: string) => text.replace(/[^0-9]/g, '')

const instructions = [overrideExpression, discloseExpression, markExpression, otherLanguageExpression].map(
  (expression) => nativeExpression(expression, ''),
)
const isInstruction = (text: string) => instructions.some((expression) => expression.test(text))

/** Maximum number of characters of an encoded text that are decoded. */
const longestDecoded = 65_536
const decoder = new TextDecoder('utf-8', { fatal: true })

function readableText(bytes: Uint8Array): string | null {
  try {
    const text = decoder.decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

/** Decodes base64 of both alphabets. A text of the wrong length loses its last characters. */
function fromBase64(text: string): string | null {
  const body = text.slice(0, longestDecoded).replace(/=+$/, '')
  return readableText(Buffer.from(body.slice(0, body.length - (body.length % 4 === 1 ? 1 : 0)), 'base64'))
}

function fromDigits(text: string): string | null {
  const compact = text.slice(0, longestDecoded).replaceAll(' ', '')
  if (!/^[01]+$/.test(compact)) return readableText(Buffer.from(compact, 'hex'))
  const bytes = compact.match(/[01]{8}/g) ?? []
  return readableText(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 2)))
}

function isJwt(token: string): boolean {
  try {
    const header = JSON.parse(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString('utf8'))
    return typeof header === 'object' && header !== null && typeof header.alg === 'string'
  } catch {
    return false
  }
}

// What people write in the place of a password: words that say so, variables, and fields of templates. `$uperS3cret` is a password.
const placeholderWord =
  /^\$?(?:[*x.•-]+|(?:your|my|the|some)?[-_]?(?:db[-_]?)?(?:password|passwd|pass|pwd|secret|token|user|username|changeme|example|redacted|hidden|xxx+)(?:[-_]?here)?)$/i
/** The parts of the name of a variable have letters, and at most one digit at their end. */
const variable = '_*[A-Za-z]+[0-9]?(?:_+(?:[A-Za-z]+[0-9]?|[0-9]))*'
const placeholder = `(?:${[
  `\\$\\$?(?:env:)?${variable}`,
  '\\$[0-9]',
  '\\$\\([^()]*\\)',
  // In the plain form of a text, `%DB_PASSWORD%` begins with a percent code that is not UTF-8.
  '(?:%[A-Za-z_]|\\ufffd)[A-Za-z0-9_]*%',
  '\\$?\\{{1,3}[^{}]*\\}{1,3}',
  '<[^<>]*>',
  '\\[[^[\\]]*\\]',
].join('|')})`
const placeholderForm = new RegExp(`^${placeholder}(?:[-_.]?${placeholder})*$`)
const isPlaceholder = (match: string) => placeholderWord.test(match) || placeholderForm.test(match)

const flagStart = '\u{1F3F4}'
const hiddenCharacters = /\u200b|\u200c|\u200d|[\u2060-\u2064]|\ufeff|\u180e|\p{Variation_Selector}/gu
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u

/** Returns `test`, which remembers its answer for the last text. A text may have many matches, and each would search all of it again. */
function oncePerText(test: (text: string) => boolean): (text: string) => boolean {
  let last: { text: string; answer: boolean } | null = null
  return (text) => {
    if (last?.text !== text) last = { text, answer: test(text) }
    const { answer } = last
    return answer
  }
}

const hasRightToLeft = oncePerText((text) => rightToLeft.test(text))
const hidesInstruction = oncePerText((text) => isInstruction(text.replace(hiddenCharacters, '')))

/**
 * Hidden characters also have good uses. Tag characters after a black flag are the flag of a region. Embeddings and isolates belong in text
 * that has letters of a language that is written from right to left. A few break opportunities in text are not hidden text, but letters
 * between which they hide an instruction are.
 */
function hidesText(match: string, text: string, { start }: Span): boolean {
  const code = match.codePointAt(0) as number
  if (code >= 0xe0000 && code <= 0xe007f) return text.slice(Math.max(0, start - 2), start) !== flagStart
  if (/[\u202d\u202e]/.test(match)) return true
  if ((code >= 0x202a && code <= 0x202c) || (code >= 0x2066 && code <= 0x2069)) {
    return !hasRightToLeft(text)
  }
  const hidden = match.match(hiddenCharacters) ?? []
  if (hidden.join('') === match) return true
  return hidden.length >= 3 || hidesInstruction(text)
}

/**
 * Returns the search for the numbers that begin in a part of a text. Each match of the pattern must begin with a match of `start`, so that the search
 * stops at the next match of the pattern at the latest.
 */
const numbersIn = (start: RegExp, lengthAt: (text: string, place: number) => number) => {
  return (text: string, part: Span): Span[] => {
    const found: Span[] = []
    start.lastIndex = part.start
    while (start.test(text) && start.lastIndex - 4 < part.end) {
      const place = start.lastIndex - 4
      const length = lengthAt(text, place)
      if (length === 0) continue
      found.push({ start: place, end: place + length })
      start.lastIndex = place + length
    }
    return found
  }
}

/** The matches of these checks may have other digits than those of a number. So what is left of a match is searched for numbers. */
export const restSearches: Readonly<Partial<Record<CheckName, (text: string, rest: Span) => Span[]>>> = {
  card: numbersIn(/\b[2-6][0-9]{3}/g, cardLengthAt),
  iban: numbersIn(/\b[A-Z]{2}[0-9]{2}/gi, ibanLengthAt),
}

/** The checks in code, by the name that a pattern has. */
export const checks: Readonly<Record<CheckName, Check>> = {
  card: accept((match) => isCardNumber(digitsOf(match))),
  iban: (text, { start }) => {
    const length = ibanLengthAt(text, start)
    return length === 0 ? null : { start, end: start + length }
  },
  social_security: accept((match) => isSocialSecurityNumber(digitsOf(match))),
  phone: accept((match) => {
    const digits = digitsOf(match)
    return digits.length >= 8 && digits.length <= 15 && !/^(\d)\1+$/.test(digits)
  }),
  jwt: accept(isJwt),
  password_in_address: accept((match) => !isPlaceholder(match)),
  hidden_text: accept(hidesText),
  base64_text: accept((match) => {
    const text = /[A-Z]/.test(match) && /[a-z]/.test(match) ? fromBase64(match) : null
    return text !== null && isInstruction(text)
  }),
  hex_text: accept((match) => {
    const text = fromDigits(match)
    return text !== null && isInstruction(text)
  }),
}
