import type { Schema } from '@mandate/sdk'
import { State } from '../../ui/page/state.tsx'
import { planNames } from '../../words/plans.ts'
import { counted, numberOf } from '../../words/words.ts'
import css from './team.module.css'
import { freeSeats } from './words.ts'

type Tenant = Schema<'Tenant'>

interface SeatLineProps {
  plan: Tenant['plan']
  seats: NonNullable<Tenant['seats']>
}

const step = 8
const mostDrawn = 120

/** The seats as a row of boxes, and the same numbers in words. */
export function SeatLine({ plan, seats }: SeatLineProps) {
  const { used, max, invited } = seats
  const people = used - invited
  const free = freeSeats(seats)
  const note = `${planNames[plan]} plan. Learners hold no seat.`
  return (
    <section className={css.seats} aria-label="Seats">
      {max !== null && max <= mostDrawn && (
        <svg viewBox={`0 0 ${Math.max(max, used) * step} 14`} width={Math.max(max, used) * step} aria-hidden="true">
          {Array.from({ length: Math.max(max, used) }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a seat has no other name than its place
            <g key={index}>
              {index < used ? (
                <rect
                  className={index < people ? css.taken : css.invited}
                  x={index * step}
                  y="1"
                  width="6"
                  height="12"
                />
              ) : (
                <rect className={css.free} x={index * step + 0.5} y="1.5" width="5" height="11" />
              )}
            </g>
          ))}
        </svg>
      )}
      <ul className={css.legend}>
        <li>
          <State glyph="person" tone="quiet" word={counted(people, '# person', '# people', 10_000)} />
        </li>
        {invited > 0 && (
          <li>
            <State glyph="proposed" tone="hold" word={counted(invited, '# invitation', '# invitations')} />
          </li>
        )}
        <li>
          <State glyph="suspended" tone="off" word={free === null ? 'No limit' : `${numberOf(free)} free`} />
        </li>
        <li className={css.note}>{note}</li>
      </ul>
    </section>
  )
}
