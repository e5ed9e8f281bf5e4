import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { usePlaceOf } from '../../api/environments.ts'
import { read } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { Button, buttonClass } from '../../ui/actions/button.tsx'
import { Copy, shortDigest } from '../../ui/actions/copy.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { PolicyLink, PolicyVersionLink } from '../../ui/page/policy-link.tsx'
import { Diff } from '../../ui/texts/diff.tsx'
import { Phrase } from '../../ui/texts/direction/phrase.tsx'
import { Glyph } from '../../ui/texts/glyph.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { RecordTime, Time } from '../../ui/texts/time.tsx'
import { hunksOf } from '../../words/rule-text.ts'
import css from './agent.module.css'
import { useDifference } from './use-difference.ts'
import { type Agent, wayBackOf } from './words.ts'

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
                ['Policy', <Side key="policy" of={approved} names={names} />],
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
                ['Policy', <Side key="policy" of={running} names={names} />],
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
      <span>Assigned: {policy ? <PolicyVersionLink {...policy} /> : 'no policy'}</span>
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

interface SideProps {
  of: { id: string; version: number | null }
  names: Record<string, string>
}

/** The policy of one side. The link opens the version that the head of the side names. */
function Side({ of: { id, version }, names }: SideProps) {
  const name = names[id]
  if (name === undefined) return 'A policy that was deleted or that you may not see'
  return (
    <PolicyLink id={id} version={version ?? 'current'}>
      <Name>{name}</Name>
    </PolicyLink>
  )
}

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
        whole={from === data.version - 1 ? data.change_class : undefined}
        beforeName={`Version ${from}, approved`}
        afterName={`Version ${to}, running`}
      />
    </>
  )
}

/** Opens the approved version, which has the button *Restore*. */
function Restore({ id, version }: { id: string; version: number }) {
  const { data: policy } = useQuery(read('getPolicy', { path: { policy_id: id }, query: { include: 'may' } }))
  if (!policy) return null
  const because = whyNot(policy, 'restorePolicyVersion')
  const text = `Restore version ${version}`
  if (because !== undefined) return <Button disabledBecause={because}>{text}</Button>
  return (
    <PolicyLink id={id} version={version} className={buttonClass()}>
      {text}
    </PolicyLink>
  )
}

/** The two ways to end drift: people approve what runs, or the approved version comes back. */
function Settle({ agent }: { agent: Agent }) {
  const { id, running_policy: running } = agent
  const { data } = useQuery(pendingReviews(id))
  const review = data?.data.find(({ kind }) => kind === 'change')
  const { restores, text } = wayBackOf(agent)
  return (
    <div className={css.settle}>
      {review && (
        <PageLink to={`/reviews/${review.id}`} className={buttonClass('act')}>
          Open the change review
        </PageLink>
      )}
      {restores && <Restore {...restores} />}
      <p className={css.ways}>
        A review makes {running?.version ? `version ${running.version}` : 'what runs'} the approved one.{' '}
        <Phrase>{text}</Phrase>
      </p>
    </div>
  )
}
