import type { Schema } from '@mandate/sdk'
import { type Filter, type FilterOption, hasText } from '../../ui/filters/filters.ts'
import type { StateLook } from '../../ui/page/state.tsx'
import { relativeTime } from '../../words/times.ts'
import { counted, numberOf } from '../../words/words.ts'
import { timesText } from '../decisions/period.ts'

type Proof = Schema<'AuditProof'>

const clockFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** How many entries there are, and through when they are sealed. */
export function trailClause({ entries, sealed_through: through }: Proof, now: number): string {
  const all = counted(entries, '# entry', '# entries')
  if (through === null) return `${all}, none sealed yet`
  return `${all}, sealed through ${sealTime(through, now)}`
}

/** The time of a seal, after the word "through". A time of today has its seconds, because seals come every second. */
export function sealTime(through: string, now: number): string {
  const isToday = Date.parse(through) >= new Date(now).setHours(0, 0, 0, 0)
  return isToday ? clockFormat.format(new Date(through)) : relativeTime(through, now)
}

/** What the last verification found. */
export function verificationClause({ last_verification: last }: Proof, now: number): string {
  if (last === null) return 'The chain has not been verified yet.'
  const when = relativeTime(last.at, now)
  return last.valid ? `The chain was intact when it was verified, ${when}.` : `The chain was NOT intact, ${when}.`
}

export function waitingClause({ waiting }: Proof): string | undefined {
  if (waiting === 0) return undefined
  return counted(waiting, '# entry waits for the next seal.', '# entries wait for the next seal.', 10_000)
}

export function verificationLook({ last_verification: last }: Proof): StateLook {
  if (last === null) return { glyph: 'proposed', word: 'Not verified yet', tone: 'quiet' }
  return last.valid
    ? { glyph: 'seal', word: 'Intact', tone: 'proof' }
    : { glyph: 'close', word: 'Not intact', tone: 'deny' }
}

/** Who verified what, and how long that took. */
export function verificationNote({ last_verification: last }: Proof): string | undefined {
  if (last === null) return undefined
  const by = last.by === null ? 'by the schedule' : `by ${last.by.name ?? 'a removed person'}`
  return `${counted(last.entries, '# entry', '# entries')} in ${numberOf(Math.round(last.took_ms / 100) / 10)} s, ${by}`
}

const dayMs = 24 * 60 * 60 * 1000

/** The choice of a period with two times. */
export const ownPeriod = 'own'

interface PeriodOfLink {
  since?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** The filter by time: days that end now, or two times of the address. */
export function periodFilter({ since, from, to }: PeriodOfLink): Filter {
  const hasTimes = since === undefined && (from !== undefined || to !== undefined)
  return {
    name: 'since',
    label: 'Period',
    value: since ?? (hasTimes ? ownPeriod : undefined),
    options: [
      { value: 'today', text: 'today' },
      { value: '7d', text: 'last 7 days' },
      { value: '30d', text: 'last 30 days' },
      { value: ownPeriod, text: hasTimes ? timesText(from, to) : 'from and to…' },
    ],
  }
}

/** The times that a period means for the API. */
export function timesOf({ since, from, to }: PeriodOfLink, now: number) {
  return since === undefined ? { from, to } : { from: startOf(since, now), to: undefined }
}

/**
 * The people of the filter whose names have the text: the users, who were found by it, then people who were removed, newest first. The person of
 * the link is there with any text, if a removal or the entries name the person. A person who came back has another id.
 */
export function personsOf(
  users: readonly Pick<Schema<'User'>, 'id' | 'display_name' | 'email'>[],
  removals: readonly Pick<Schema<'AuditEntry'>, 'resource'>[],
  linked: string | undefined,
  names: Readonly<Record<string, string>>,
  text = '',
): FilterOption[] {
  const persons = [
    ...users.map(({ id, display_name, email }) => ({ value: id, text: display_name || email })),
    ...removals.flatMap(({ resource: { id, name } }) =>
      id !== null && (id === linked || hasText(name, text)) ? [{ value: id, text: `${name} (removed)` }] : [],
    ),
  ]
  const name = linked && names[linked]
  return name && persons.every(({ value }) => value !== linked) ? [...persons, { value: linked, text: name }] : persons
}

/** The start of a period as a time for the API. An unknown period has none. */
export function startOf(period: string | undefined, now: number): string | undefined {
  const midnight = new Date(now).setHours(0, 0, 0, 0)
  if (period === 'today') return new Date(midnight).toISOString()
  if (period === '7d') return new Date(midnight - 6 * dayMs).toISOString()
  if (period === '30d') return new Date(midnight - 29 * dayMs).toISOString()
  return undefined
}
