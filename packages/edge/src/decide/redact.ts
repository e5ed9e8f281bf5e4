const secretName =
  /pass(word|wd|phrase)?|secret|token|api[-_]?key|private[-_]?key|credential|authori[sz]ation|cookie|session|^pin$|^auth$/i
const secretValue =
  /\b(?:Bearer|Basic)\s+[A-Za-z0-9+/_=.-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?|\b(?:mk|ak|ek|sk|pk|ghp|gho|xox[abp])[_-][A-Za-z0-9_-]{16,}|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g
const hidden = '[redacted]'
const longestText = 1000
const mostEntries = 50
const deepest = 8
const mostCharacters = 12_000

/** Whether people never see the value of a field with this name. */
export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/** The number of characters that may still be added to the result. If it falls below zero, `shownArguments` returns null. */
interface Budget {
  left: number
}

/**
 * Prepares the arguments for approvers. Removes fields with secret names and texts that look like secrets. Shortens long
 * texts. Returns null if the result is too large. Never throws for JSON values.
 */
export function shownArguments(args: object): Record<string, unknown> | null {
  const budget = { left: mostCharacters }
  const shown = shorten(args, 1, budget) as Record<string, unknown>
  return budget.left >= 0 && JSON.stringify(shown).length <= mostCharacters ? shown : null
}

function shorten(value: unknown, depth: number, budget: Budget): unknown {
  if (budget.left < 0) return null
  if (typeof value === 'string') return shortenText(value, budget)
  budget.left -= 1
  if (typeof value !== 'object' || value === null) return value
  if (depth > deepest) return '[…]'
  if (Array.isArray(value)) {
    const kept = value.slice(0, mostEntries).map((item) => shorten(item, depth + 1, budget))
    return value.length > mostEntries ? [...kept, `[… ${value.length - mostEntries} more]`] : kept
  }
  const entries = Object.entries(value)
  const kept = new Map<string, unknown>()
  for (const [name, item] of entries.slice(0, mostEntries)) {
    const shown = newName(shortenText(name, budget), kept)
    kept.set(shown, isSecretName(name) ? hidden : shorten(item, depth + 1, budget))
  }
  if (entries.length > mostEntries) kept.set(newName('…', kept), `${entries.length - mostEntries} more`)
  return Object.fromEntries(kept)
}

/** Makes a field name unique. Shortened or redacted names can become equal, and then one field would hide another. */
function newName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let found = name
  for (let number = 2; taken.has(found); number++) found = `${name} (${number})`
  return found
}

function shortenText(text: string, budget: Budget): string {
  if (budget.left < 0) return ''
  const clean = text
    .slice(0, longestText * 4)
    .toWellFormed()
    .replaceAll('\0', '\u{fffd}')
    .replace(secretValue, hidden)
  const isShort = clean.length <= longestText && text.length <= longestText * 4
  const shown = isShort ? clean : `${clean.slice(0, longestText).toWellFormed()}…`
  budget.left -= shown.length + 2
  return shown
}
