import { MandateError } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { client } from '../../api/client.ts'
import { read } from '../../api/queries.ts'
import { Button } from '../../ui/actions/button.tsx'
import { shortId } from '../../ui/actions/copy.tsx'
import { saveFile } from '../../ui/actions/save-file.ts'
import { tell } from '../../ui/dialogs/toast.tsx'
import { Unread } from '../../ui/lists/unread.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { State } from '../../ui/page/state.tsx'
import { effects, modeLooks } from '../../ui/page/states.ts'
import { Name } from '../../ui/texts/name.tsx'
import { Failed } from '../../ui/texts/notes.tsx'
import { RecordTime } from '../../ui/texts/time.tsx'
import { Arguments } from './arguments.tsx'
import { Chain, type Evidence } from './chain.tsx'
import { Context, SessionBefore } from './context.tsx'
import css from './decision.module.css'
import { Receipt, Replay } from './receipt.tsx'
import { type Approval, type Decision, proofOf, storyOf } from './story.ts'
import { ToPass } from './to-pass.tsx'

/** What did this call do, who decided, and what proves it? */
export function DecisionPage() {
  const { id } = useParams({ from: '/inside/decisions/$id' })
  const { data, error, refetch } = useQuery(
    read('getDecision', { path: { decision_id: id }, query: { include: 'names' } }),
  )
  if (!data)
    return (
      <Unread
        name={`Decision ${shortId(id)}`}
        error={error}
        onRetry={() => void refetch()}
        all={{ to: '/decisions', text: 'All decisions' }}
      />
    )
  return <Explained decision={data} names={data.names ?? {}} />
}

function Explained({ decision, names }: Pick<Evidence, 'decision' | 'names'>) {
  const { approval_id: approvalId, policy, effect, mode, environment_id: environment } = decision
  const approval = useQuery({
    ...read('getApproval', { path: { approval_id: approvalId ?? '' }, query: { include: 'names' } }),
    enabled: approvalId !== null,
  })
  const version = useQuery({
    ...read('getPolicyVersion', { path: { policy_id: policy?.id ?? '', version: policy?.version ?? 1 } }),
    enabled: policy?.version != null,
  })
  const evidence: Evidence = {
    decision,
    approval: approval.data,
    version: version.data,
    names: { ...names, ...approval.data?.names },
  }
  const rule = version.data?.snapshot.rules.find(({ id }) => id === decision.rule?.id)
  return (
    <>
      <PageHead
        name={`Decision ${shortId(decision.decision_id)}`}
        states={
          <>
            <State {...effects[effect]} />
            <span>{modeLooks[mode].word}</span>
            {environment !== null && names[environment] && <Name>{names[environment]}</Name>}
            <RecordTime at={decision.at} />
          </>
        }
        actions={<Download decision={decision} />}
        sentence={<Story decision={decision} approval={approval.data} />}
        isStill
      />
      <div className={css.columns}>
        <div className={css.stack}>
          <Chain {...evidence} />
          <ToPass {...evidence} />
          {approval.error && !isGone(approval.error) ? (
            <Failed error={approval.error} onRetry={() => void approval.refetch()} />
          ) : (
            !approval.isLoading && <Arguments decision={decision} approval={approval.data} rule={rule} />
          )}
          <SessionBefore decision={decision} />
        </div>
        <div className={css.stack}>
          <Receipt {...evidence} />
          <Replay id={decision.decision_id} />
          <Context decision={decision} />
        </div>
      </div>
    </>
  )
}

function Story({ decision, approval }: { decision: Decision; approval: Approval | undefined }) {
  const proof = proofOf(decision)
  const isWrong = decision.integrity === 'broken'
  return (
    <>
      {storyOf(decision, approval).join(', ')}, and{' '}
      <a href="#receipt" data-tone={isWrong ? 'deny' : undefined}>
        {proof}
      </a>
      .
    </>
  )
}

/** Saves the receipt as a file that `mandate decisions verify` checks. */
function Download({ decision: { decision_id, receipt } }: { decision: Decision }) {
  const download = async () => {
    try {
      const file = await client.call('getDecisionReceipt', { path: { decision_id } })
      saveFile(new Blob([JSON.stringify(file)], { type: 'application/json' }), `receipt-${decision_id}.json`)
    } catch (error) {
      tell((error as Error).message)
    }
  }
  return (
    <Button
      look="act"
      onPress={() => void download()}
      disabledBecause={receipt ? undefined : 'this decision is unsigned'}
    >
      Download receipt
    </Button>
  )
}

/** The approval was deleted, or the reader may not see it. */
const isGone = (error: Error) => error instanceof MandateError && error.status === 404
