import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { PageHead } from '../../ui/page/page-head.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { Invite } from './invite.tsx'
import { Learners, PendingInvitations } from './invited.tsx'
import { People } from './people.tsx'
import { SeatLine } from './seat-line.tsx'
import css from './team.module.css'
import { seatClause, withoutFactor, withoutFactorClause } from './words.ts'

const seated = { status: 'active', academy_only: false } as const

/** Who may sign in, and what may they see and do? */
export function TeamPage() {
  const session = useSession()
  const { data } = useQuery(read('getOwnTenant'))
  const { data: unprotected } = useQuery(read('listUsers', { query: { ...seated, ...withoutFactor, limit: 1 } }))
  const whyNoPerson = whyNot(session, 'inviteUser')
  const whyNoLearner = whyNot(session, 'inviteLearner')
  const dialog = useDialog({ invite: whyNoPerson, 'invite-learner': whyNoLearner })
  const seats = data?.tenant.seats
  return (
    <>
      <PageHead
        name="Team"
        sentence={
          seats &&
          unprotected && (
            <Sentence waiting={[{ text: seatClause(seats) }]} wrong={withoutFactorClause(unprotected.total)} />
          )
        }
        {...(seats && { firstClause: seatClause(seats) })}
        isStill
        actions={
          <>
            <Button disabledBecause={whyNoLearner} onPress={() => dialog.open('invite-learner')}>
              Invite a learner
            </Button>
            <Button look="act" disabledBecause={whyNoPerson} onPress={() => dialog.open('invite')}>
              Invite
            </Button>
          </>
        }
      />
      {data && seats ? <SeatLine plan={data.tenant.plan} seats={seats} /> : <div className={css.comingSeats} />}
      <div className={css.stack}>
        <People
          after={
            <div className={css.columns}>
              <PendingInvitations />
              <Learners />
            </div>
          }
        />
      </div>
      {dialog.name === 'invite' && <Invite isLearner={false} seats={seats} onClose={dialog.close} />}
      {dialog.name === 'invite-learner' && <Invite isLearner seats={seats} onClose={dialog.close} />}
    </>
  )
}
