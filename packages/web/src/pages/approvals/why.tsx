import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { read } from '../../api/queries.ts'
import { withHeartbeats } from '../../live/heartbeats.ts'
import { Copy, shortDigest, shortId } from '../../ui/actions/copy.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { PolicyLink, PolicyVersionLink } from '../../ui/page/policy-link.tsx'
import { State } from '../../ui/page/state.tsx'
import { effects } from '../../ui/page/states.ts'
import { ContentMatches } from '../../ui/texts/content-matches.tsx'
import { DelegationChain } from '../../ui/texts/delegation-chain.tsx'
import { ForeignText } from '../../ui/texts/foreign-text.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { conditionText } from '../../words/condition-words.ts'
import { counted, numberOf } from '../../words/words.ts'
import { approvedLook } from './approval-state.ts'
import css from './approvals.module.css'
import type { Approval } from './queries.ts'
import { Records, useRecords } from './records.tsx'
import { useRule } from './use-rule.ts'

interface OfApproval {
  approval: Approval
}

/** The rule, its conditions, the policy version, and the reason of the rule. */
export function WhyItWaits({ approval }: OfApproval) {
  const { policy_id, policy_version, policy_hash, rule_id, rule_name, reason, content } = approval
  const { version, rule } = useRule(approval)
  const conditions = rule?.match.when ?? []
  const ruleName = rule?.name || rule_name || 'Rule without a name'
  return (
    <Panel title="Why it waits">
      <KeyValues
        rows={[
          [
            'Rule',
            <span key="rule" className={css.stack}>
              {rule_id === null ? (
                'No rule. The default effect of the policy decided.'
              ) : version ? (
                <PolicyLink id={policy_id} version={policy_version} rule={rule_id}>
                  <Name>{ruleName}</Name>
                </PolicyLink>
              ) : (
                <Name>{ruleName}</Name>
              )}
              <State {...effects.require_approval} />
            </span>,
          ],
          [
            'Condition',
            conditions.length > 0 ? (
              <span key="condition" className={`${css.stack} mono`}>
                {conditions.map((condition) => (
                  <Name key={JSON.stringify(condition)}>{conditionText(condition)}</Name>
                ))}
              </span>
            ) : undefined,
          ],
          [
            'Policy',
            <span key="policy" className={css.stack}>
              {version ? (
                <PolicyVersionLink id={policy_id} name={version.snapshot.name} version={policy_version} />
              ) : (
                `Version ${policy_version}`
              )}
              <Copy what="digest of the policy" value={`sha256:${policy_hash}`} shown={shortDigest(policy_hash)} />
              {version && version.content_hash !== policy_hash && (
                <State glyph="differs" tone="deny" word="The edge had other content" />
              )}
              <Approved approval={approval} />
            </span>,
          ],
          ['Content', content.length > 0 ? <ContentMatches key="content" matches={content} /> : undefined],
          [
            'Reason',
            reason ? (
              <span key="reason">
                “<Name>{reason}</Name>”
              </span>
            ) : undefined,
          ],
        ]}
      />
    </Panel>
  )
}

/** Whether the policy that held the call is the approved one, or was when the approval ended. */
function Approved({ approval }: OfApproval) {
  const { data: agent } = useQuery(read('getAgent', { path: { agent_id: approval.agent_id } }))
  const look = agent?.approved_policy && approvedLook(approval, agent.approved_policy)
  return look ? <State {...look} /> : null
}

/** For whom the agent acts, and what it did before. */
export function WhoAsked({ approval }: OfApproval) {
  const { on_behalf_of, chain, session_id, agent_id, assigned_role, labels } = approval
  const calls = useRecords(approval)
  return (
    <Panel title="Who and in what state">
      <KeyValues
        rows={[
          [
            'On behalf of',
            on_behalf_of === null ? 'The edge does not say' : <ForeignText key="who" text={on_behalf_of} />,
          ],
          ['Delegation', chain.length > 0 ? <DelegationChain key="chain" chain={chain} /> : undefined],
          [
            'Session',
            session_id === null ? undefined : (
              <span key="session" className={css.stack}>
                <Copy
                  what="session"
                  value={session_id}
                  shown={session_id.length > 20 ? shortId(session_id) : session_id}
                />
                <PageLink to="/decisions" search={{ agent_id, session_id }}>
                  Calls of this session
                </PageLink>
              </span>
            ),
          ],
          [
            'Labels of the session',
            labels.length > 0 ? <ForeignText key="labels" text={labels.join(', ')} /> : undefined,
          ],
          ['Decision', calls.records.length > 0 || calls.isPart ? <Records key="records" {...calls} /> : undefined],
          ['Calls of this tool', <Calls key="calls" approval={approval} />],
          ['Who decides', assigned_role === 'owner' ? 'An owner' : 'A manager or an owner'],
        ]}
      />
    </Panel>
  )
}

const days30 = 30 * 24 * 60 * 60 * 1000

/** The calls of the same tool in the last 30 days, this call among them. */
function Calls({ approval: { agent_id, tool } }: OfApproval): ReactNode {
  const [from] = useState(() => new Date(Date.now() - days30).toISOString())
  const { data } = useQuery({
    ...read('getDecisionTimeline', { query: { agent_id, tool, from, bucket: 'day' } }),
    ...withHeartbeats,
  })
  if (!data) return null
  const counts = (effect: string, word: string) => {
    const { total = 0 } = data.keys.find(({ key }) => key === effect) ?? {}
    return total > 0 && `, ${numberOf(total)} ${word}`
  }
  const total = data.keys.reduce((sum, key) => sum + key.total, 0)
  if (total <= 1) return 'First call of this tool in 30 days'
  return (
    <PageLink to="/decisions" search={{ agent_id, tool }}>
      {counted(total, '# call', '# calls')} in 30 days with this one
      {counts('deny', 'denied')}
      {counts('require_approval', 'held')}
    </PageLink>
  )
}
