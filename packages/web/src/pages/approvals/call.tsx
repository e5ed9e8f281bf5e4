import { useId, useState } from 'react'
import { Copy, shortDigest } from '../../ui/actions/copy.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { ForeignFrame, ForeignText, ForeignValues } from '../../ui/texts/foreign-text.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { RecordTime } from '../../ui/texts/time.tsx'
import { Timer } from '../../ui/texts/time-left.tsx'
import { nextOf } from './approval-state.ts'
import css from './approvals.module.css'
import { argumentsNote, hitsOf } from './conditions.ts'
import { Outcome } from './outcome.tsx'
import type { Approval } from './queries.ts'
import { useRule } from './use-rule.ts'
import { Verdict } from './verdict.tsx'
import { WhoAsked, WhyItWaits } from './why.tsx'

/** One held call: what the agent sent, why it is held, and the decision. */
export function Call({ approval }: { approval: Approval }) {
  const id = useId()
  const { agent_id, agent_name, tool, edge, requested_at, status, expires_at } = approval
  const isWaiting = status === 'pending'
  const [sawItWait] = useState(isWaiting)
  return (
    <article className={css.call} aria-labelledby={id}>
      <PageLink to="/approvals" className={css.back}>
        All approvals
      </PageLink>
      <header className={css['call-head']}>
        <div>
          <h2 id={id} tabIndex={-1}>
            <PageLink to={`/agents/${agent_id}`}>
              <Name>{agent_name}</Name>
            </PageLink>{' '}
            {isWaiting ? 'wants to call' : 'wanted to call'}{' '}
            <span className="mono">
              <ForeignText text={tool} />
            </span>
          </h2>
          <p className={css.note}>
            Held <Name>{edge ? `at edge ${edge.name}` : 'by an edge with the key of the agent'}</Name>,{' '}
            <RecordTime at={requested_at} />. {nextOf(approval)}{' '}
            <PageLink to="/audit" search={{ tab: 'all', resource_type: 'approval', resource_id: approval.id }}>
              History
            </PageLink>
          </p>
        </div>
        {isWaiting && (
          <div className={css.left}>
            <Timer until={expires_at} />
            <span className={css.note}>then the call expires</span>
          </div>
        )}
      </header>
      {!isWaiting && <Outcome approval={approval} sawItWait={sawItWait} />}
      <Arguments approval={approval} />
      <div className={css.facts}>
        <WhyItWaits approval={approval} />
        <WhoAsked approval={approval} />
      </div>
      {sawItWait && <Verdict approval={approval} />}
    </article>
  )
}

function Arguments({ approval }: { approval: Approval }) {
  const { arguments: args, args_digest } = approval
  const { rule } = useRule(approval)
  const hits = hitsOf(rule?.match.when ?? [])
  const values = Object.entries(args ?? {}).map(([name, value]) => ({ name, value, hit: hits.get(name) }))
  return (
    <ForeignFrame
      title="Sent by the agent."
      note={argumentsNote(approval)}
      aside={<Copy what="digest of the call" value={`sha256:${args_digest}`} shown={shortDigest(args_digest)} />}
    >
      {values.length > 0 ? (
        <ForeignValues caption="Arguments of the call" values={values} />
      ) : (
        <p className={css.nothing}>{args === null ? 'The edge shows no arguments.' : 'The call has no arguments.'}</p>
      )}
    </ForeignFrame>
  )
}
