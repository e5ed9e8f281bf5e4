import { timeInRange } from '@mandate/contract/fields/time-range'
import type { ReportSnapshot } from '@mandate/contract/reports/report-snapshot'
import { maxReportDays, type NewReport } from '@mandate/contract/reports/reports'
import { invalid } from '../../../refusal.ts'

export type Period = NonNullable<ReportSnapshot['period']>

const dayMs = 24 * 60 * 60_000
const daysByDefault = 30

const startOf = (date: string) => Date.parse(`${date}T00:00:00.000Z`)

/**
 * Returns the period of a report that is made at `now`. The days that a request names are whole days in UTC. The period ends at
 * `now` if its last day has not ended.
 * @throws 400 for reversed days, a day in the future, or more days than a report may have
 */
export function periodOf({ from, to }: Pick<NewReport, 'from' | 'to'>, now: string): Period {
  const today = now.slice(0, 10)
  const last = to ?? today
  if (last > today) throw invalid('to must not be after today')
  const start = from === undefined ? startOf(last) - (daysByDefault - 1) * dayMs : startOf(from)
  const end = startOf(last) + dayMs
  if (start >= end) throw invalid('to must not be before from')
  if (end - start > maxReportDays * dayMs) throw invalid(`from: a report has at most ${maxReportDays} days`)
  return { from: timeInRange(start), to: timeInRange(Math.min(end, Date.parse(now))) }
}

export const daysIn = ({ from, to }: Period): number => (Date.parse(to) - Date.parse(from)) / dayMs
