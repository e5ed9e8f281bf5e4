import { parseTime } from '@mandate/contract/fields/time'
import type { Conditions } from './assertion.ts'
import { printable, printableList } from './printable.ts'

/** Maximum difference between the clocks of Mandate and of an identity provider. */
export const CLOCK_SKEW_MS = 60_000

/** Returns why the conditions of an assertion do not hold for `audience` at the time `now`. Returns null if they hold. */
export function conditionFault(conditions: Conditions, audience: string, now: Date): string | null {
  const other = conditions.audiences.find((audiences) => !audiences.includes(audience))
  if (other) return `the SAML assertion is for the audience ${printableList(other)}, and not for ${audience}`
  if (conditions.audiences.length === 0) return 'the SAML assertion is not complete: it has no AudienceRestriction'
  const { notBefore, notOnOrAfter } = conditions
  const from = notBefore === undefined ? Number.NEGATIVE_INFINITY : parseTime(notBefore)
  if (from === undefined) return `the NotBefore of the SAML assertion is no time: ${printable(notBefore ?? '')}`
  const until = notOnOrAfter === undefined ? Number.POSITIVE_INFINITY : parseTime(notOnOrAfter)
  if (until === undefined) return `the NotOnOrAfter of the SAML assertion is no time: ${printable(notOnOrAfter ?? '')}`
  const here = `here it is ${now.toISOString()}`
  if (now.getTime() + CLOCK_SKEW_MS < from) return `the SAML assertion is valid only from ${notBefore} on; ${here}`
  if (now.getTime() - CLOCK_SKEW_MS >= until) return `the SAML assertion expired at ${notOnOrAfter}; ${here}`
  return null
}
