import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { PolicyLink } from '../../ui/page/policy-link.tsx'
import { ForeignText } from '../../ui/texts/foreign-text.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { asSentence } from '../../words/words.ts'
import type { Evidence } from './chain.tsx'
import css from './decision.module.css'
import { asksPolicy, type Way, waysToPass } from './ways.ts'

/** What would have to differ for the call to pass, and who can change it. Shows nothing for a call that passed. */
export function ToPass({ decision, approval, version }: Evidence) {
  const ways = waysToPass({ decision, approval, rules: version?.snapshot.rules })
  // A deleted policy has no name.
  const policy = decision.policy?.name ? decision.policy : null
  const { data: editable } = useQuery({
    ...read('getPolicy', { path: { policy_id: policy?.id ?? '' }, query: { include: 'may' } }),
    enabled: policy !== null && asksPolicy(decision, ways),
  })
  if (ways.length === 0) return null
  return (
    <Panel title="To let it pass">
      <div className={css.ways}>
        {ways.map((way) => (
          <OneWay key={`${way.text} ${way.rule?.id}`} way={way} policy={policy} />
        ))}
      </div>
      <KeyValues
        rows={[
          ['Who approves', approval?.status === 'pending' ? <Approver key="approver" {...approval} /> : undefined],
          ['Who changes the policy', editable && <Editor key="editor" policy={editable} rule={decision.rule?.id} />],
        ]}
      />
    </Panel>
  )
}

function OneWay({ way: { text, rule, asks, after }, policy }: { way: Way; policy: Evidence['decision']['policy'] }) {
  return (
    <div>
      <p>
        {rule && policy && (
          <>
            <PolicyLink id={policy.id} version={policy.version ?? 'current'} rule={rule.id}>
              <Name>{rule.name || 'Rule without a name'}</Name>
            </PolicyLink>
            {': '}
          </>
        )}
        {text}
      </p>
      {asks.length > 0 && (
        <ul className={css.asks}>
          {asks.map(({ asks: asked, was }) => (
            <li key={asked}>
              <Name className="mono">{asked}</Name>
              {was !== undefined && (
                <>
                  {'. In this call: '}
                  <span className="mono">
                    <ForeignText text={was} />
                  </span>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {after && <p className={css.small}>{after}</p>}
    </div>
  )
}

function Approver({ id, assigned_role: role }: NonNullable<Evidence['approval']>) {
  return (
    <>
      {role === 'owner' ? 'An owner' : 'A manager or an owner'}.{' '}
      <PageLink to="/approvals" search={{ open: id }}>
        Open the approval
      </PageLink>
    </>
  )
}

function Editor({ policy, rule }: { policy: Schema<'Policy'>; rule: string | undefined }) {
  const because = whyNot(policy, 'replacePolicy')
  return (
    <>
      Each member, manager or owner with access to{' '}
      {policy.environment_id === null ? 'the organization' : 'its environment'}.{' '}
      {because === undefined ? (
        <PolicyLink id={policy.id} version="current" {...(rule !== undefined && { rule })}>
          Open the policy
        </PolicyLink>
      ) : (
        `You may not: ${asSentence(because)}`
      )}
    </>
  )
}
