import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { usePlaceOf } from '../../api/environments.ts'
import { read } from '../../api/queries.ts'
import { buttonClass } from '../../ui/actions/button.tsx'
import { Copy, shortDigest } from '../../ui/actions/copy.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Diff } from '../../ui/texts/diff.tsx'
import { Glyph } from '../../ui/texts/glyph.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { RecordTime, Time } from '../../ui/texts/time.tsx'
import { hunksOf } from '../../words/rule-text.ts'
import css from './agent.module.css'
import { useDifference } from './use-difference.ts'
import type { Agent } from './words.ts'

/** What people approved and what runs, side by side, with the difference. */
export function Comparison({ agent }: { agent: Agent }) {
  const { approved_policy: approved, running_policy: running, drift, names = {} } = agent
  const nameOf = (id: string | null) => (id === null ? 'Not known' : (names[id] ?? 'a removed person'))
  return (
    <section className={css.comparison} data-drift={drift === true} aria-label="Approved and running">
      <Assigned agent={agent} />
      <div className={css.sides}>
        <div className={css.side}>
          <SideHead title="Approved" version={approved?.version} none={approved === null && 'Not approved yet'} />
          {approved && (
            <KeyValues
              rows={[
                ['Policy', <PolicyLink key="policy" id={approved.id} names={names} />],
                ['Content', digest(approved.content_hash)],
                [
                  'Approved',
                  <span key="at">
                    <Name>{nameOf(approved.approved_by)}</Name>
                    {approved.approved_at && (
                      <>
                        , <RecordTime at={approved.approved_at} />
                      </>
                    )}
                  </span>,
                ],
                [
                  'By review',
                  approved.review_id ? (
                    <PageLink key="review" to={`/reviews/${approved.review_id}`}>
                      Open the review
                    </PageLink>
                  ) : undefined,
                ],
              ]}
            />
          )}
          {!approved && <p className={css.note}>A review of the agent sets the approved version.</p>}
        </div>
        <div className={css.sign}>
          <Glyph name={drift === true ? 'differs' : drift === false ? 'same' : 'unknown'} />
        </div>
        <div className={css.side} data-wrong={drift === true}>
          <SideHead title="Running" version={running?.version} none={running === null && 'No report yet'} />
          {running && (
            <KeyValues
              rows={[
                ['Policy', <PolicyLink key="policy" id={running.id} names={names} />],
                ['Content', digest(running.content_hash)],
                ['Since', running.since ? <Time key="since" at={running.since} /> : 'Not recorded'],
                [
                  'Reported',
                  <span key="reported">
                    {running.edge ? (
                      <PageLink to={`/edges/${running.edge.id}`}>
                        <Name>{running.edge.name}</Name>
                      </PageLink>
                    ) : (
                      'An edge with the key of the agent'
                    )}
                    , <Time at={running.reported_at} />
                  </span>,
                ],
              ]}
            />
          )}
          {!running && <p className={css.note}>An edge reports it with its heartbeat.</p>}
        </div>
      </div>
      {drift === true && (
        <>
          <Difference agent={agent} />
          <Settle agent={agent} />
        </>
      )}
    </section>
  )
}

/** The policy that is assigned, and the review that waits. Drift has its own link to the change review. */
function Assigned({ agent: { id, policy, drift } }: { agent: Agent }) {
  const { data } = useQuery(pendingReviews(id))
  const review = drift === true ? undefined : data?.data[0]
  return (
    <p className={css.assigned}>
      <span>
        Assigned:{' '}
        {policy ? (
          <PageLink to={`/policies/${policy.id}`}>
            <Name>{policy.name}</Name>, version {policy.version}
          </PageLink>
        ) : (
          'no policy'
        )}
      </span>
      {review && <PageLink to={`/reviews/${review.id}`}>Open the review</PageLink>}
    </p>
  )
}

const pendingReviews = (agentId: string) =>
  read('listReviews', { query: { agent_id: agentId, status: 'pending', limit: 10 } })

function SideHead({
  title,
  version,
  none,
}: {
  title: string
  version: number | null | undefined
  none: string | false
}) {
  return (
    <header>
      <h2>{title}</h2>
      <span className={css.version}>{none || (version ? `version ${version}` : 'unknown version')}</span>
    </header>
  )
}

const PolicyLink = ({ id, names }: { id: string; names: Record<string, string> }) => (
  <PageLink to={`/policies/${id}`}>
    <Name>{names[id] ?? 'Policy'}</Name>
  </PageLink>
)

const digest = (hash: string | null): ReactNode =>
  hash === null ? 'Not known' : <Copy what="digest" value={`sha256:${hash}`} shown={shortDigest(hash)} />

function Difference({ agent }: { agent: Agent }) {
  const { approved_policy: approved, running_policy: running } = agent
  const placeOf = usePlaceOf()
  const { isComparable, from, to, data, error } = useDifference(agent)
  if (!isComparable)
    return (
      <p className={css.words}>
        {approved?.id === running?.id
          ? 'The content differs, although the versions have the same number or are not known.'
          : 'Another policy runs than the one that people approved.'}
      </p>
    )
  if (error) return <p className={css.words}>{error.message}</p>
  if (!data) return null
  return (
    <>
      <h2 className={css.words}>What differs</h2>
      <Diff
        hunks={hunksOf(data, placeOf)}
        beforeName={`Version ${from}, approved`}
        afterName={`Version ${to}, running`}
      />
    </>
  )
}

/** The two ways to end drift: people approve what runs, or the approved version comes back. */
function Settle({ agent: { id, approved_policy: approved, running_policy: running } }: { agent: Agent }) {
  const { data } = useQuery(pendingReviews(id))
  const review = data?.data.find(({ kind }) => kind === 'change')
  const version = (number: number | null | undefined) => (number ? `version ${number}` : 'another version')
  return (
    <div className={css.settle}>
      {review && (
        <PageLink to={`/reviews/${review.id}`} className={buttonClass('act')}>
          Open the change review
        </PageLink>
      )}
      {approved && (
        <PageLink to={`/policies/${approved.id}`} search={{ tab: 'versions' }} className={buttonClass()}>
          Restore {version(approved.version)}
        </PageLink>
      )}
      <p className={css.ways}>
        A review makes {version(running?.version)} the approved one. A restore brings {version(approved?.version)} back,
        and the finding closes at the next heartbeat.
      </p>
    </div>
  )
}
