import type { Schema } from '@mandate/sdk'
import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { HistoryLink } from '../../ui/page/history-link.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { PolicyVersionLink } from '../../ui/page/policy-link.tsx'
import { State } from '../../ui/page/state.tsx'
import { severities } from '../../ui/page/states.ts'
import { Name } from '../../ui/texts/name.tsx'
import { Moment, Time } from '../../ui/texts/time.tsx'
import { asSentence } from '../../words/words.ts'
import { ChangedTools } from './changed-tools.tsx'
import { findingTypes } from './finding-types.ts'
import css from './findings.module.css'

interface FindingRowProps {
  finding: Schema<'Finding'>
  /** Names of the agents and policies that the reader may see, by id. */
  names: Readonly<Record<string, string>>
}

/** One finding: what is wrong, with which agent, since when, and what fixes it. */
export function FindingRow({ finding, names }: FindingRowProps) {
  const agentName = names[finding.agent_id] ?? 'an unknown agent'
  const [asks, setAsks] = useState(false)
  const accept = useWrite('acceptFinding')
  const word = findingTypes.find(({ type }) => type === finding.type)?.look.word ?? finding.type
  const isOpen = finding.status === 'open'
  return (
    <li className={css.row}>
      <State {...(isOpen ? severities[finding.severity] : { glyph: 'approved', word: 'Closed', tone: 'off' })} />
      <div className={css.what}>
        <p>
          <strong>{word}</strong>{' '}
          <PageLink to={`/agents/${finding.agent_id}`}>
            <Name>{agentName}</Name>
          </PageLink>
        </p>
        {isOpen && <p className={css.fix}>{asSentence(finding.remediation)}</p>}
        {isOpen && <ChangedTools finding={finding} />}
        <Acceptance finding={finding} names={names} />
        {finding.type === 'policy_drift_unapproved' && <DriftOf finding={finding} names={names} />}
      </div>
      <p className={css.since}>
        {finding.closed_at ? (
          <>
            opened <Moment at={finding.opened_at} />, closed <Time at={finding.closed_at} />
          </>
        ) : (
          <>
            since <Moment at={finding.opened_at} />
          </>
        )}
        {'. '}
        <HistoryLink
          of={{ resource_type: 'finding', resource_id: finding.id }}
          name={`the finding ${word} of ${agentName}`}
        />
      </p>
      {isOpen && finding.type === 'decision_gap' && (
        <Button onPress={() => setAsks(true)} disabledBecause={whyNot(finding, 'acceptFinding')} reason="hidden">
          Accept the gap
        </Button>
      )}
      {asks && (
        <Confirm
          title={`Accept the missing decisions of ${agentName}?`}
          verb="Accept the gap"
          comment={{ label: 'Reason', isRequired: true }}
          act={async (reason) => {
            await accept.mutateAsync({ path: { finding_id: finding.id }, body: { reason } })
            tell('The finding is closed.')
          }}
          onClose={() => setAsks(false)}
        >
          <p>The finding closes. The decisions stay missing, and the audit trail keeps your reason.</p>
        </Confirm>
      )}
    </li>
  )
}

/** Who accepted the finding, and why. The history names a person whose name the list does not have. */
function Acceptance({ finding: { evidence }, names }: FindingRowProps) {
  const { user } = useSession()
  const { by, reason } = (evidence.accepted ?? {}) as { by?: string; reason?: string }
  if (by === undefined || reason === undefined) return null
  const who = by === user.id ? 'you' : names[by]
  return (
    <p className={css.fix}>
      <Name>{who === undefined ? 'Accepted' : `Accepted by ${who}`}</Name>: “<Name>{reason}</Name>”
    </p>
  )
}

/** The approved and the running version of a drift, and a link to the reviews of the agent. One of these reviews is about the drift. */
function DriftOf({ finding: { agent_id, evidence }, names }: FindingRowProps) {
  const [approved, running] = [versionIn(evidence.approved), versionIn(evidence.running)]
  return (
    <p className={css.fix}>
      {approved && running && (
        <>
          Approved: <PolicyVersionLink {...approved} name={names[approved.id] ?? null} />. Ran:{' '}
          <PolicyVersionLink {...running} name={names[running.id] ?? null} />.{' '}
        </>
      )}
      <PageLink to="/reviews" search={{ agent_id }}>
        Change reviews of the agent
      </PageLink>
    </p>
  )
}

interface At {
  id: string
  version: number
}

function versionIn(value: unknown): At | undefined {
  const { policy_id, version } = (value ?? {}) as Partial<Record<string, unknown>>
  return typeof version === 'number' && typeof policy_id === 'string' ? { id: policy_id, version } : undefined
}
