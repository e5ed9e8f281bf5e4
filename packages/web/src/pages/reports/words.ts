import type { Schema } from '@mandate/sdk'
import type { StateLook } from '../../ui/page/state.tsx'
import { exactTime } from '../../words/times.ts'
import { asSentence } from '../../words/words.ts'

type Snapshot = Schema<'ReportSnapshot'>

/** The name of a person and the address, because two people may have the same name. */
export function nameOf({ display_name: name, email }: NonNullable<Snapshot['made_by']>): string {
  if (name === '') return email
  return email === '' ? name : `${name} (${email})`
}

export const periodText = ({ from, to }: NonNullable<Snapshot['period']>) =>
  `The period is from ${exactTime(from)} to ${exactTime(to)}.`

/** Whether a report can be read. */
export function stateOf({ status, progress }: Pick<Schema<'ReportSummary'>, 'status' | 'progress'>): StateLook {
  if (status === 'ready') return { glyph: 'approved', word: 'Ready', tone: 'quiet' }
  if (status === 'failed') return { glyph: 'warn', word: 'Failed', tone: 'deny' }
  return { glyph: 'clock', word: `Running, ${Math.floor(progress * 100)} %`, tone: 'hold' }
}

/** Why a report without a snapshot cannot be read. */
export const unreadyText = ({
  status,
  failure = 'it could not be made',
}: Pick<Schema<'Report'>, 'status' | 'failure'>) =>
  status === 'failed'
    ? `${asSentence(failure)} Create another report.`
    : 'The server makes this report. It shows here as soon as it is ready.'
