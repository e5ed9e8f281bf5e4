import type { Schema } from '@mandate/sdk'

const numberFormat = new Intl.NumberFormat('en')
const pluralRules = new Intl.PluralRules('en')

/** Writes a number with separators. Counts that stop at `most` get a plus sign. */
export const numberOf = (value: number, most = Number.POSITIVE_INFINITY) =>
  value >= most ? `${numberFormat.format(most)}+` : numberFormat.format(value)

/**
 * Chooses the text for a number, and puts the number in the place of `#`. A no-break space keeps the number at its noun.
 * Example: `counted(2, '# agent runs', '# agents run')`. The texts must have no name in front of the number, because a name may have a `#`.
 */
export function counted(value: number, one: string, other: string, most?: number): string {
  const text = pluralRules.select(value) === 'one' ? one : other
  return text.replace(/# ?/, (found) => numberOf(value, most) + (found.endsWith(' ') ? '\u00a0' : ''))
}

export const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Writes the role of a person: "manager, read-only". If `of` names the organization: "manager of Norrvik Supply, read-only". */
export const ownRole = ({ role, read_only: isReadOnly }: Pick<Schema<'User'>, 'role' | 'read_only'>, of?: string) =>
  `${role}${of === undefined ? '' : ` of ${of}`}${isReadOnly ? ', read-only' : ''}`

/** For a list in which a person with limited access sees nothing: it may have more. Undefined for a person who sees all. */
export const onlyGranted = ({ access_scope: scope }: Pick<Schema<'User'>, 'access_scope'>): string | undefined =>
  scope === 'scoped' ? 'You see only what you were granted. Ask a manager or an owner for access.' : undefined

/** Writes a text of the server as a sentence: with a capital letter and a full stop. */
export function asSentence(text: string): string {
  const trimmed = text.trim()
  if (trimmed === '') return ''
  return capital(trimmed) + (/[.!?…]$/.test(trimmed) ? '' : '.')
}
