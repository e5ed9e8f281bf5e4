import { useQueryClient } from '@tanstack/react-query'
import { useSession } from '../../session/session.ts'
import { usePrinting } from '../../ui/browser/use-printing.ts'
import { Name } from '../../ui/texts/name.tsx'
import { exactTime, timeZone } from '../../words/times.ts'
import css from './print-foot.module.css'

/** The end of a printed page: where it is from, who printed it and when, and as of when its data is. */
export function PrintFoot() {
  const printedAt = usePrinting()
  const queries = useQueryClient()
  const { tenant, user } = useSession()
  if (printedAt === undefined) return null
  const readAt = queries
    .getQueryCache()
    .findAll({ type: 'active' })
    .map(({ state }) => state.dataUpdatedAt)
    .filter((at) => at > 0)
  return (
    <footer className={`${css.foot} on-paper`}>
      <p>{location.href}</p>
      <p>
        <Name>{tenant.name}</Name>. Printed by <Name>{user?.display_name || user?.email}</Name>, {exactTime(printedAt)}.
        Times without a zone: {timeZone()}. {readAt.length > 0 && `Data as of ${exactTime(Math.min(...readAt))}.`}
      </p>
    </footer>
  )
}
