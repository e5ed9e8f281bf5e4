// What writes a character in another way, or hides it from people: escapes of JSON and of programs, percent codes, and control characters.

/** The character that is written at a place of a text. `code` is null if a reader sees nothing there. `size` is its length in the text, in UTF-16 units. */
export interface ReadCharacter {
  readonly code: number | null
  readonly size: number
}

/** How a text is read. */
export interface Reading {
  /** Whether escapes that begin with a backslash are decoded. */
  readonly backslashes: boolean
  /** Whether a terminal sequence shows nothing. Otherwise only its control characters show nothing. */
  readonly sequences: boolean
}

const hex = '[0-9a-fA-F]'
const backslashEscape = `\\\\(?:u${hex}{4}|u\\{0*${hex}{1,6}\\}|U${hex}{8}|x${hex}{2}|[0-3][0-7]{2}|[0abefnrtv"'\\\\/])`
const percentCode = `%(?:${hex}{2}|u${hex}{4})`
/** Control characters except tab, line feed, carriage return and U+0085. */
const control = '[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f]'
const esc = '\\x1b'
const terminalSequence = [
  // CSI, such as a color
  `(?:${esc}\\[|\\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]`,
  // OSC and other strings, such as the address of a link
  `(?:${esc}[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07${esc}\\x9c]*(?:\\x07|${esc}\\\\|\\x9c)`,
  `${esc}[ -/]{0,8}[0-~]`,
].join('|')

const percentOrControl = `${percentCode}|${terminalSequence}|${control}`
/** An expression for the places of a text that are decoded or hidden. Places in a row are one match. */
export const escapedSource = ({ backslashes }: Pick<Reading, 'backslashes'>) =>
  `(?:${backslashes ? `${percentOrControl}|${backslashEscape}` : percentOrControl}){1,256}`

export const hasPercentCode = (text: string) => text.includes('%') && anyPercentCode.test(text)
const anyPercentCode = new RegExp(percentCode)
/** Whether a text has a backslash as a percent code (`%5c`), also if its percent sign is a percent code again (`%255c`). */
export const hidesBackslash = (text: string) => /%(?:25){0,8}5c/i.test(text)
/** Whether a text has a terminal sequence with a text in it, such as a link. Terminals hide this text and other programs show it, so both are searched. */
export const hasOtherReader = (text: string) => otherSequence.test(text)
const otherSequence = new RegExp(`${esc}(?!\\[)|[\\x90\\x98\\x9d-\\x9f]`)

const sequenceHere = new RegExp(terminalSequence, 'y')
const simple: Readonly<Record<string, string>> = {
  ...{ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', a: '\x07', e: '\x1b', '0': '\0' },
  ...{ '"': '"', "'": "'", '\\': '\\', '/': '/' },
}
const longEscape = new RegExp(`\\\\(?:u\\{0*(${hex}{1,6})\\}|U(${hex}{8})|([0-3][0-7]{2}))`, 'y')
const highest = 0x10ffff
const replacement = 0xfffd

/** Returns a table of the ASCII characters, with a 1 for each that may begin an escape, a percent code or a terminal sequence. */
export const specialAscii = ({ backslashes }: Reading) =>
  Uint8Array.from({ length: 128 }, (_, code) => {
    const isControl = (code < 0x20 && code !== 9 && code !== 10 && code !== 13) || code === 0x7f
    return Number(isControl || code === 0x25 || (backslashes && code === 0x5c))
  })

/** Reads the character at a place. */
export function readAt(text: string, at: number, { backslashes, sequences }: Reading): ReadCharacter {
  const unit = text.charCodeAt(at)
  if (unit === 0x25) return percentAt(text, at) ?? characterAt(text, at)
  if (unit === 0x5c && backslashes) return unescapedAt(text, at) ?? characterAt(text, at)
  if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f && unit !== 0x85)) return controlAt(text, at, sequences)
  return characterAt(text, at)
}

function characterAt(text: string, at: number): ReadCharacter {
  const code = text.codePointAt(at) as number
  return { code, size: code > 0xffff ? 2 : 1 }
}

function controlAt(text: string, at: number, sequences: boolean): ReadCharacter {
  const unit = text.charCodeAt(at)
  if (unit === 9 || unit === 10 || unit === 13) return { code: unit, size: 1 }
  sequenceHere.lastIndex = at
  return { code: null, size: sequences && sequenceHere.test(text) ? sequenceHere.lastIndex - at : 1 }
}

function percentAt(text: string, at: number): ReadCharacter | null {
  const unit = hexAt(text, at, '%u', 4)
  if (unit !== null) return { code: wellFormed(unit), size: 6 }
  const byte = hexAt(text, at, '%', 2)
  if (byte === null) return null
  return utf8At(text, at, '%') ?? { code: replacement, size: 3 }
}

function unescapedAt(text: string, at: number): ReadCharacter | null {
  const unit = hexAt(text, at, '\\u', 4)
  if (unit !== null) {
    const low = unit >= 0xd800 && unit <= 0xdbff ? hexAt(text, at + 6, '\\u', 4) : null
    const isPair = low !== null && low >= 0xdc00 && low <= 0xdfff
    return isPair
      ? { code: 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), size: 12 }
      : { code: wellFormed(unit), size: 6 }
  }
  const byte = hexAt(text, at, '\\x', 2)
  // JavaScript reads a character, and Python may read a byte of UTF-8.
  if (byte !== null) return utf8At(text, at, '\\x') ?? { code: byte, size: 4 }
  longEscape.lastIndex = at
  const [all, point, long, octal] = longEscape.exec(text) ?? []
  if (all !== undefined) {
    const code = octal === undefined ? Number.parseInt(point ?? (long as string), 16) : Number.parseInt(octal, 8)
    return { code: code > highest ? replacement : wellFormed(code), size: all.length }
  }
  const next = text[at + 1] ?? ''
  const plain = Object.hasOwn(simple, next) ? simple[next] : undefined
  return plain === undefined ? null : { code: plain.charCodeAt(0), size: 2 }
}

const wellFormed = (code: number) => (code >= 0xd800 && code <= 0xdfff ? replacement : code)

/** Reads the bytes of one character in UTF-8. Null if they are not UTF-8. */
function utf8At(text: string, at: number, prefix: '%' | '\\x'): ReadCharacter | null {
  const size = prefix.length + 2
  const first = hexAt(text, at, prefix, 2) as number
  if (first < 0x80) return { code: first, size }
  const length = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  let code = first & (0x7f >> length)
  for (let index = 1; index < length; index++) {
    const byte = hexAt(text, at + index * size, prefix, 2)
    if (byte === null || byte < 0x80 || byte > 0xbf) return null
    code = (code << 6) | (byte & 0x3f)
  }
  const isShortest = code >= (length === 4 ? 0x10000 : length === 3 ? 0x800 : 0x80)
  return length > 0 && isShortest && code <= highest && wellFormed(code) === code ? { code, size: size * length } : null
}

/** Returns the number that a prefix and hexadecimal digits write. Null if they are not at this place. */
function hexAt(text: string, at: number, prefix: string, digits: number): number | null {
  if (!text.startsWith(prefix, at)) return null
  let value = 0
  for (let place = at + prefix.length; place < at + prefix.length + digits; place++) {
    const digit = hexDigits[text.charCodeAt(place)] ?? -1
    if (digit < 0) return null
    value = value * 16 + digit
  }
  return value
}

const hexDigits = Int8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return /[0-9a-fA-F]/.test(character) ? Number.parseInt(character, 16) : -1
})
