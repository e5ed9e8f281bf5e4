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

/** Whether an IBAN without spaces, in capital letters, has the right check digits (ISO 13616, modulo 97). */
export function passesMod97(iban: string): boolean {
  let rest = 0
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (value > 9 ? rest * 100 + value : rest * 10 + value) % 97
  }
  return rest === 1
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

/**
 * Returns how many characters of a text that begins like an IBAN belong to it, spaces included. 0 if it is no IBAN. What follows an IBAN
 * may look like a part of it.
 */
export function ibanLength(text: string): number {
  const wanted = ibanLengths.get(text.slice(0, 2).toUpperCase())
  if (wanted === undefined) return 0
  let end = 0
  for (let found = 0; end < text.length && found < wanted; end++) if (text[end] !== ' ') found++
  const iban = text.slice(0, end).replaceAll(' ', '').toUpperCase()
  const continues = /^[A-Za-z0-9]/.test(text.slice(end))
  return iban.length === wanted && !continues && passesMod97(iban) ? end : 0
}

const cardPrefix =
  /^(?:4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[47]|3(?:0[0-5]|[68])|6(?:011|5|4[4-9]|2)|35(?:2[89]|[3-8]))/
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

/** How people write card numbers: without separators, or in these groups with one kind of separator. */
const cardWritings = [
  /^[0-9]{13,19}(?![0-9])/,
  /^[0-9]{4}([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{4}\1[0-9]{3}(?![0-9])/,
  /^[0-9]{4}([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?![0-9])/,
  /^[0-9]{4}([ -])[0-9]{6}\1[0-9]{4,5}(?![0-9])/,
]

/** Returns how many characters of a text belong to the card number that it begins with, separators included. 0 if it begins with none. */
export function cardLength(text: string): number {
  for (const writing of cardWritings) {
    const written = writing.exec(text)?.[0] ?? ''
    if (isCardNumber(written.replace(/[ -]/g, ''))) return written.length
  }
  return 0
}

/** Whether three groups of digits can be a US social security number: the numbers that are never issued are not. */
export function isSocialSecurityNumber(digits: string): boolean {
  const area = digits.slice(0, 3)
  if (area === '000' || area === '666' || area >= '900') return false
  if (digits.slice(3, 5) === '00' || digits.slice(5) === '0000') return false
  // Numbers that are published as examples or were used in advertising.
  return !['078051120', '219099999', '123456789', '111111111', '333333333'].includes(digits)
}
