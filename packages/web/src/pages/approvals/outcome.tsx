import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../session/session.ts'
import { PageLink } from '../../ui/page/page-link.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Moment, RecordTime } from '../../ui/texts/time.tsx'
import { stopOf } from '../../words/denials.ts'
import { endedAt, nobodyDecided, stateOf } from './approval-state.ts'
import css from './approvals.module.css'
import { type Approval, deciderOf, firstWaitingQuery } from './queries.ts'

interface OutcomeProps {
  approval: Approval
  /** True if the reader had the call open before it was decided, and so might have decided too. */
  sawItWait: boolean
}

/** How a call ended: who decided, when, and with which comment. */
export function Outcome({ approval, sawItWait }: OutcomeProps) {
  const { user } = useSession()
  const { data: waiting } = useQuery(firstWaitingQuery(true))
  const { resolved_by, resolved_at, comment, consumed_at, expires_at, status, freeze_id } = approval
  const stop = stopOf(approval)
  const ended = endedAt(approval)
  const isOwn = resolved_by === user.id
  const who = isOwn ? 'You' : deciderOf(approval)
  return (
    <div className={css.outcomes} role="status">
      <State {...stateOf(approval)} />
      <p>
        {resolved_at === null ? (
          <>
            {nobodyDecided(approval)}
            {ended !== undefined && (
              <>
                {' '}
                It expired <RecordTime at={ended} />.
              </>
            )}
          </>
        ) : (
          <>
            <Name>{who}</Name> {isOwn || !sawItWait ? 'decided' : 'decided first'}, <RecordTime at={resolved_at} />.
          </>
        )}{' '}
        {resolved_at !== null && stop !== undefined && `The approval ended because ${stop}. `}
        {freeze_id !== null && <PageLink to={`/freezes/${freeze_id}`}>Open the freeze</PageLink>}
        {consumed_at !== null && (
          <>
            The call passed <RecordTime at={consumed_at} />.
          </>
        )}
        {status === 'approved' && (
          <>
            The agent may use the approval once until <Moment at={expires_at} />.
          </>
        )}
      </p>
      {comment && (
        <p className={css.comment}>
          <span>
            “<Name>{comment}</Name>”
          </span>
        </p>
      )}
      {waiting && waiting.total > 0 && (
        <PageLink to="/approvals" className={css.next}>
          Open the next call
        </PageLink>
      )}
    </div>
  )
}
