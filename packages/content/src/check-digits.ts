/** Whether the last digit of a number is the check digit of the others (Luhn, ISO/IEC 7812-1). `digits` has digits only. */
export function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = digits.charCodeAt(digits.length - 1 - at) - 0x30
    const doubled = at % 2 === 0 ? digit : digit * 2
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** Length of the IBANs of each country, from the IBAN registry of SWIFT. */
const ibanLengths: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 ' +
    'FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 ' +
    'MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 ' +
    'SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
)

/** Value of each ASCII character in the check of an IBAN: digits, then letters in any case. -1 for the others. */
const ibanValues = Int8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return /[0-9A-Za-z]/.test(character) ? Number.parseInt(character, 36) : -1
})
const ibanValueAt = (text: string, at: number) => ibanValues[text.charCodeAt(at)] ?? -1

/**
 * Returns how many characters belong to the IBAN that begins at a place of a text, single spaces included. 0 if none begins there. Tests the check
 * digits (ISO 13616, modulo 97). What follows an IBAN may look like a part of it.
 */
export function ibanLengthAt(text: string, start: number): number {
  const wanted = ibanLengths.get(text.slice(start, start + 2).toUpperCase())
  if (wanted === undefined) return 0
  let end = start + 4
  let rest = 0
  const add = (value: number) => {
    rest = (value > 9 ? rest * 100 + value : rest * 10 + value) % 97
  }
  for (let count = 4; count < wanted; count++) {
    if (text[end] === ' ') end++
    const value = ibanValueAt(text, end++)
    if (value < 0) return 0
    add(value)
  }
  if (ibanValueAt(text, end) >= 0) return 0
  for (let at = start; at < start + 4; at++) add(ibanValueAt(text, at))
  return rest === 1 ? end - start : 0
}

const cardPrefixes =
  '(?:4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[47]|3(?:0[0-5]|[68])|6(?:011|5|4[4-9]|2)|35(?:2[89]|[3-8]))'
const cardPrefix = new RegExp(`^${cardPrefixes}`)
const cardLengths: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^3[47]/, [15]],
  [/^3[068]/, [14, 16, 19]],
  [/^62/, [16, 17, 18, 19]],
]

/** Whether digits are the number of a payment card: a prefix of a card network, a length that it uses, and the check digit. */
export function isCardNumber(digits: string): boolean {
  if (!cardPrefix.test(digits) || /^(\d)\1+$/.test(digits)) return false
  const lengths = cardLengths.find(([prefix]) => prefix.test(digits))?.[1] ?? [16, 19]
  return lengths.includes(digits.length) && passesLuhn(digits)
}

/** How people write card numbers: without separators, or in groups of these widths with one kind of separator. */
const writtenCard = new RegExp(
  `(?=${cardPrefixes})(?:[0-9]{13,19}|[0-9]{4}([ -])(?:[0-9]{4}\\1[0-9]{4}\\1[0-9]{4}(?:\\1[0-9]{3}\\b)?|[0-9]{6}\\1[0-9]{4,5}))\\b`,
  'y',
)
/** Length of four groups of four digits. A fifth group of three digits may belong to the same number. */
const fourGroups = 19

/**
 * Returns how many characters of a text belong to the card number that begins at a place beside other digits, separators included. 0 if none
 * begins there. A list of numbers with four digits has such a number by chance, so a part of a list does not count.
 */
export function cardLengthAt(text: string, start: number): number {
  const separator = text.charCodeAt(start + 4)
  const isInFours = separator === text.charCodeAt(start + 4 + 5)
  if (isInFours && isPartOfList(text, start, start + fourGroups, 4, 1)) return 0
  writtenCard.lastIndex = start
  if (!writtenCard.test(text)) return 0
  const written = text.slice(start, writtenCard.lastIndex)
  if (isDigit(separator)) return isCardNumber(written) ? written.length : 0
  if (!isInFours && isPartOfList(text, start, start + written.length, 6, 0)) return 0
  const ways = isInFours ? [written, written.slice(0, fourGroups)] : [written]
  return ways.find((way) => isCardNumber(way.replace(/[ -]/g, '')))?.length ?? 0
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

/** Whether more than `most` groups of `width` digits continue a number in groups, before its start or behind its end. */
function isPartOfList(text: string, start: number, end: number, width: number, most: number): boolean {
  const separator = text.charCodeAt(start + 4)
  let beside = 0
  for (let at = start - 1; text.charCodeAt(at) === separator && isGroup(text, at - width, width); at -= width + 1)
    if (++beside > most) return true
  for (let at = end; text.charCodeAt(at) === separator && isGroup(text, at + 1, width); at += width + 1)
    if (++beside > most) return true
  return false
}

function isGroup(text: string, start: number, width: number): boolean {
  for (let at = start; at < start + width; at++) if (!isDigit(text.charCodeAt(at))) return false
  return !isDigit(text.charCodeAt(start - 1)) && !isDigit(text.charCodeAt(start + width))
}

/** Whether three groups of digits can be a US social security number: the numbers that are never issued are not. */
export function isSocialSecurityNumber(digits: string): boolean {
  const area = digits.slice(0, 3)
  if (area === '000' || area === '666' || area >= '900') return false
  if (digits.slice(3, 5) === '00' || digits.slice(5) === '0000') return false
  // Numbers that are published as examples or were used in advertising.
  return !['078051120', '219099999', '123456789', '111111111', '333333333'].includes(digits)
}
