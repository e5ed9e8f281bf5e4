import { useEnvironments } from '../../api/environments.ts'
import { Copy, shortDigest } from '../../ui/actions/copy.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { ForeignFrame, ForeignValues } from '../../ui/texts/foreign-text.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { argumentsNote, hitsOf } from '../approvals/conditions.ts'
import css from './decision.module.css'
import { Kept } from './kept.tsx'
import type { Approval, Decision, Rule } from './story.ts'

interface ArgumentsProps {
  decision: Decision
  approval: Approval | undefined
  /** The rule that decided. */
  rule: Rule | undefined
}

/** Shows the arguments of the call: those of its approval, or those that were kept for replay. If there are none, says why. */
export function Arguments({ decision, approval, rule }: ArgumentsProps) {
  if (approval?.arguments) return <OfApproval approval={approval} sent={approval.arguments} rule={rule} />
  if (decision.kept_arguments) return <Kept decision={decision} kept={decision.kept_arguments} rule={rule} />
  return (
    <Panel title="Arguments">
      <p className={css.lede}>
        The record has only the digest of the arguments,{' '}
        <Copy value={decision.args_digest} shown={shortDigest(decision.args_digest)} what="digest of the arguments" />.{' '}
        {approval ? 'The edge showed none with its approval.' : <WhyNone environmentId={decision.environment_id} />}
      </p>
    </Panel>
  )
}

/** Says why no arguments were kept, by the setting of the environment today. The setting may have changed since the call. */
function WhyNone({ environmentId }: { environmentId: string | null }) {
  const { environments } = useEnvironments()
  const environment = environments?.find(({ id }) => id === environmentId)
  if (!environment) return null
  if (environment.keep_arguments_for_replay)
    return (
      <>
        <Name>{environment.name}</Name> keeps only arguments that conditions of the policy read, and only of calls since
        this was switched on.
      </>
    )
  return (
    <>
      Arguments are not kept in <Name>{environment.name}</Name>.{' '}
      <PageLink to="/environments">Open the environments</PageLink>
    </>
  )
}

function OfApproval({ approval, sent, rule }: Pick<ArgumentsProps, 'rule'> & { approval: Approval; sent: object }) {
  const hits = hitsOf(rule?.match.when ?? [])
  return (
    <ForeignFrame
      title="Sent by the agent."
      note={`${argumentsNote(approval)} These arguments come from the approval.`}
    >
      <ForeignValues
        caption="Arguments of the call"
        values={Object.entries(sent).map(([name, value]) => ({ name, value, hit: hits.get(name) }))}
      />
    </ForeignFrame>
  )
}
