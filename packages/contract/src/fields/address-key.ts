import { domainToASCII } from 'node:url'

/**
 * A label of a domain: letters with their marks, digits and hyphens. Joiners are part of words in some scripts, and so are the signs that
 * RFC 5892 allows (appendix A.3 to A.7, and exceptions), such as the middle dot of Catalan and of Japanese.
 */
const written = /^(?:[\p{L}\p{M}\p{N}\u00b7\u0375\u05f3\u05f4\u06fd\u06fe\u0f0b\u30fb-]|\u200c|\u200d)+$/u
/** The full stops between labels. Keyboards of East Asia write the others (RFC 3490, section 3.1). */
const dots = /[.\u3002\uff0e\uff61]/
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const number = /^(?:\d+|0x[\da-f]*)$/

/** A local part in NFKC: no white space, no characters of the syntax, and nothing that nobody sees, except joiners in other scripts. */
const localPart =
  /^(?:[^\s@<>()[\]\\,;:"\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]|(?<=\P{ASCII})[\u200c\u200d])+$/u

/** True for an e-mail address, in any script. Two addresses are the same if they have the same `addressKey`. */
export function isAddress(text: string): boolean {
  const [, local = '', domain = ''] = /^([^@]{1,64})@([^\s@]+)$/u.exec(text.normalize('NFC')) ?? []
  const key = domainKey(domain)
  // Some letters are one domain for the mail system and another one in NFKC, such as U+03F2. Nobody can say whose address that is.
  return localPart.test(local.normalize('NFKC')) && key !== null && key === domainKey(domain.normalize('NFKC'))
}

/**
 * Returns the form in which e-mail addresses are compared and stored for look-up: trimmed, in lower case, the part before the `@` in NFKC
 * and without joiners, which nobody sees, and the domain in Punycode. So all spellings of one address have one key. Show people the address
 * as it was written.
 */
export function addressKey(email: string): string {
  const address = lower(email.trim(), 'NFKC').trim()
  const at = address.lastIndexOf('@')
  const visible = address.slice(0, at + 1).replaceAll(/[\u200c\u200d]/g, '')
  // The last σ of a word is ς. In capitals both are Σ. Without joiners, marks can meet their letters and spaces the start.
  const local = visible.replaceAll('ς', 'σ').normalize('NFKC').trimStart()
  const domain = address.slice(at + 1)
  return local + (domainKey(domain) ?? domain)
}

/** Returns a domain of at least two labels in lower case and Punycode. Null if it is no domain name. */
export function domainKey(domain: string): string | null {
  const lowered = lower(domain)
  // The parser below cuts or decodes other characters, and reads a domain that ends in a number as an IPv4 address.
  const parts = lowered.split(dots)
  if (parts.length < 2 || !parts.every((part) => written.test(part)) || number.test(parts.at(-1)!)) return null
  const ascii = domainToASCII(lowered)
  const labels = ascii.split('.')
  const isName = ascii.length <= 253 && labels.length > 1 && labels.every((each) => label.test(each))
  return isName && !number.test(labels.at(-1)!) ? ascii : null
}

// Lower case can lose the composed form, so it is composed again.
const lower = (text: string, form: 'NFC' | 'NFKC' = 'NFC') => text.normalize(form).toLowerCase().normalize(form)
