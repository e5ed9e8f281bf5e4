import type { Schema } from '@mandate/sdk'
import type { ReactNode } from 'react'
import { Copy, shortDigest, shortId } from '../../ui/actions/copy.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { PolicyLink, PolicyVersionLink } from '../../ui/page/policy-link.tsx'
import { ForeignText } from '../../ui/texts/foreign-text.tsx'
import { Glyph, type GlyphName } from '../../ui/texts/glyph.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { conditionText } from '../../words/condition-words.ts'
import { denialOf, stopOf } from '../../words/denials.ts'
import { exactTime, timeZone } from '../../words/times.ts'
import { numberOf } from '../../words/words.ts'
import { endedAt, stateOf } from '../approvals/approval-state.ts'
import css from './decision.module.css'
import { FreezeLink } from './freeze-link.tsx'
import { type Approval, type Decision, type Rule, tookText, waitedFor } from './story.ts'

export interface Evidence {
  decision: Decision
  approval: Approval | undefined
  /** The policy version that decided, if it can be read. */
  version: Schema<'PolicyVersionDetail'> | undefined
  names: Readonly<Record<string, string>>
}

/** The way of a call, from the agent to the seal of the audit trail. */
export function Chain(evidence: Evidence) {
  const { approval, decision } = evidence
  // The agent repeats a call after the approval ended, and the record is about the repeated call. The clocks of the edge and the server may differ.
  const isRepeated = approval !== undefined && endedAt(approval) !== undefined && decision.effect !== 'require_approval'
  return (
    <Panel title="From call to seal" legend={`Times: ${timeZone()}`}>
      <ol className={css.chain}>
        <Call {...evidence} />
        {isRepeated && <ApprovalStep {...evidence} />}
        <RuleStep {...evidence} />
        <Profile {...evidence} />
        {!isRepeated && <ApprovalStep {...evidence} />}
        <ReceiptStep {...evidence} />
        <Seal {...evidence} />
      </ol>
    </Panel>
  )
}

interface StepProps {
  name: string
  glyph: GlyphName
  tone?: 'hold' | 'deny' | 'proof'
  /** At the end of the line: when, or how long. */
  when?: ReactNode
  note?: ReactNode
  children: ReactNode
}

function Step({ name, glyph, tone, when, note, children }: StepProps) {
  return (
    <li className={tone && css[tone]}>
      <b>{name}</b>
      <span className={css.node}>
        <Glyph name={glyph} />
      </span>
      <div>
        <p>{children}</p>
        {note && <p className={css.note}>{note}</p>}
      </div>
      <span className={css.when}>{when}</span>
    </li>
  )
}

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})

/** A time of the day with milliseconds, as steps are often in one second. */
function Clock({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {clock.format(new Date(at))}
      <span className="hidden-text"> ({exactTime(at)})</span>
    </time>
  )
}

function Call({ decision: { agent, tool, args_digest: digest } }: Evidence) {
  return (
    <Step
      name="Call"
      glyph="dot"
      note={
        <>
          arguments <Copy value={digest} shown={shortDigest(digest)} what="digest of the arguments" />
        </>
      }
    >
      <PageLink to={`/agents/${agent.id}`}>
        <Name>{agent.name ?? 'An agent'}</Name>
      </PageLink>{' '}
      called{' '}
      <span className="mono">
        <ForeignText text={tool} />
      </span>
    </Step>
  )
}

const tones = { allow: undefined, require_approval: 'hold', deny: 'deny' } as const
const glyphs = { allow: 'allow', require_approval: 'hold', deny: 'deny' } as const

function RuleStep({ decision, version }: Evidence) {
  const { rule, policy, effect, duration_us: took, at } = decision
  const known = version?.snapshot.rules.find(({ id }) => id === rule?.id)
  const tone = tones[effect]
  return (
    <Step
      name="Rule"
      glyph={glyphs[effect]}
      {...(tone && { tone })}
      when={<Clock at={at} />}
      note={
        <>
          <span>decided{took !== null && `, took ${tookText(took)}`}</span>
          {policy && (
            <span>
              <PolicyVersionLink {...policy} />
            </span>
          )}
          {policy?.content_hash && (
            <Copy value={policy.content_hash} shown={shortDigest(policy.content_hash)} what="hash of the policy" />
          )}
        </>
      }
    >
      {rule ? (
        <>
          {policy?.name ? (
            <PolicyLink id={policy.id} version={policy.version ?? 'current'} rule={rule.id}>
              <Name>{rule.name || known?.name || 'A rule'}</Name>
            </PolicyLink>
          ) : (
            <Name>{rule.name || 'A rule'}</Name>
          )}{' '}
          <Matched rule={known} />
        </>
      ) : (
        <WithoutRule {...decision} />
      )}
    </Step>
  )
}

/**
 * What the rule asked, and its reason. A record does not say whether the conditions held: a rule that stops calls also matches if a condition cannot
 * be decided.
 */
function Matched({ rule }: { rule: Rule | undefined }) {
  if (!rule) return 'decided'
  const { effect, match, reason } = rule
  const asks = match.when.map(conditionText).join(' and ')
  return (
    <>
      {match.when.length === 0 ? 'decided' : effect === 'allow' ? 'matched: ' : 'decided. It matches if '}
      {match.when.length > 0 && <Name className="mono">{asks}</Name>}
      {match.when.length > 0 && effect !== 'allow' && ', and if that cannot be decided'}
      {reason && (
        <>
          . Its reason: “<Name>{reason}</Name>”
        </>
      )}
    </>
  )
}

/** Why a call was decided that no rule decided. */
function WithoutRule(decision: Decision) {
  const denial = denialOf(decision)
  if (denial)
    return (
      <>
        No rule decided, because {denial.clause}. <Remedy {...decision} />
      </>
    )
  if (decision.policy)
    return decision.effect === 'require_approval' && decision.content?.length
      ? 'No rule held it. Content rules or the default effect did'
      : 'No rule matched, so the default effect decided'
  return 'No policy decided: the agent had none in force, or it was stopped'
}

/** The page on which a person changes what stopped the agent. */
function Remedy(decision: Decision) {
  const { denied_because: reason, agent } = decision
  switch (reason) {
    case 'frozen':
      return <FreezeLink {...decision} />
    case 'blocked':
    case 'not_approved':
    case 'not_approved_in_production':
      return (
        <PageLink to="/reviews" search={{ agent_id: agent.id }}>
          Open the reviews of the agent
        </PageLink>
      )
    case 'no_policy':
    case 'suspended':
    case 'archived':
    case 'retired':
      return <PageLink to={`/agents/${agent.id}`}>Open the agent</PageLink>
    default:
      return null
  }
}

function Profile({ decision: { profile, edge } }: Evidence) {
  if (!profile) return null
  return (
    <Step
      name="Profile"
      glyph="same"
      tone="proof"
      note={
        <>
          profile {numberOf(profile.seq)}
          <Copy value={profile.hash} shown={shortDigest(profile.hash)} what="hash of the mission profile" />
        </>
      }
    >
      {edge?.name ? <Name>{edge.name}</Name> : 'The edge'} decided by this mission profile
    </Step>
  )
}

/** The state of an approval, as the page Approvals names it. */
const wordsOf = (approval: Approval) =>
  approval.status === 'pending' ? 'Nobody has decided yet' : stateOf(approval).word

function ApprovalStep({ decision: { approval_id: id }, approval, names }: Evidence) {
  if (id === null) return null
  if (!approval)
    return (
      <Step name="Approval" glyph="hold" note={<Copy value={id} shown={shortId(id)} what="id of the approval" />}>
        The call names an approval that you cannot see
      </Step>
    )
  const { status, resolved_by: by, comment, freeze_id: freeze } = approval
  const at = endedAt(approval)
  const stop = stopOf(approval)
  const person = by === null ? undefined : (names[by] ?? 'A removed user')
  const waited = waitedFor(approval)
  const isDenied = status === 'rejected'
  return (
    <Step
      name="Approval"
      glyph={isDenied ? 'deny' : status === 'expired' ? 'clock' : status === 'pending' ? 'hold' : 'approved'}
      {...(isDenied ? { tone: 'deny' as const } : status === 'pending' && { tone: 'hold' as const })}
      when={at && <Clock at={at} />}
      note={
        <>
          {waited !== undefined && `waited ${waited}`}
          {freeze !== null && <PageLink to={`/freezes/${freeze}`}>Open the freeze</PageLink>}
          <PageLink to="/approvals" search={{ open: id }}>
            Open the approval
          </PageLink>
        </>
      }
    >
      {person === undefined ? (
        stop === undefined ? (
          wordsOf(approval)
        ) : (
          `Ended because ${stop}`
        )
      ) : (
        <>
          <Name>{person}</Name> {isDenied ? 'denied it' : 'approved it'}
          {comment && (
            <>
              : “<Name>{comment}</Name>”
            </>
          )}
          {!isDenied && `${/[.!?…]$/.test(comment ?? '') ? '' : '.'} ${wordsOf(approval)}`}
        </>
      )}
    </Step>
  )
}

function ReceiptStep({ decision: { receipt, edge, received_at: at } }: Evidence) {
  if (!receipt)
    return (
      <Step name="Receipt" glyph="proposed" when={<Clock at={at} />}>
        The record arrived unsigned
      </Step>
    )
  return (
    <Step
      name="Receipt"
      glyph="key"
      tone="proof"
      when={<Clock at={receipt.checked_at} />}
      note={
        <>
          seq {numberOf(receipt.seq)} after {numberOf(receipt.seq - 1)}
          <Copy value={receipt.hash} shown={shortDigest(receipt.hash)} what="hash of the record" />
        </>
      }
    >
      {edge?.name ? (
        <>
          Edge <Name>{edge.name}</Name>
        </>
      ) : (
        'An edge with the key of the agent'
      )}{' '}
      signed the record
    </Step>
  )
}

function Seal({ decision: { receipt } }: Evidence) {
  if (!receipt)
    return (
      <Step name="Seal" glyph="proposed">
        The audit trail holds no proof of an unsigned record
      </Step>
    )
  if (receipt.anchored_by === null)
    return (
      <Step name="Seal" glyph="proposed" note="Once per UTC day, the audit trail takes the hash of the last record.">
        Not in the audit trail yet
      </Step>
    )
  return (
    <Step
      name="Seal"
      glyph="seal"
      tone="proof"
      note={<Copy value={receipt.anchored_by} shown={shortId(receipt.anchored_by)} what="id of the audit entry" />}
    >
      The audit trail holds the hash of this record or of a later one
    </Step>
  )
}
