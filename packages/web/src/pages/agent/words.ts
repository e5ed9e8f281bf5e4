import type { Answer, Schema } from '@mandate/sdk'
import type { Search } from '../../ui/page/page-link.tsx'
import { policyPlace } from '../../ui/page/policy-place.ts'
import { lifecycles } from '../../ui/page/states.ts'
import { isolated } from '../../ui/texts/direction/isolated.ts'
import type { GlyphName } from '../../ui/texts/glyph.tsx'
import type { Clause } from '../../ui/texts/sentence.tsx'
import { changedOfAgent } from '../../words/changed-fields.ts'
import { afterReportOf, reviewOf } from '../../words/reviews.ts'
import { clockTime } from '../../words/times.ts'
import { capital } from '../../words/words.ts'
import { findingName } from '../findings/finding-types.ts'

export type Agent = Answer<'getAgent'>
type Names = Record<string, string>
type Event = Schema<'AgentTimelineEvent'>

interface About {
  agent: Pick<
    Agent,
    | 'status'
    | 'frozen'
    | 'drift'
    | 'approved_policy'
    | 'running_policy'
    | 'policy'
    | 'lifecycle_status'
    | 'new_key_unused_since'
  >
  names: Names
  /** What the gate does to the agent while nobody has approved it. */
  gate?: Clause | undefined
}

const versionOf = (version: number | null | undefined) => (version ? `version ${version}` : 'an unknown version')

type Gate = Schema<'Tenant'>['governance_gate']

const unapproved: Record<Gate, string> = {
  off: 'Not approved yet. It may act, because the gate is off',
  alert: 'Not approved yet. It may act, because the gate only alerts',
  enforce: 'Not approved yet, so the gate denies every call',
}

/**
 * What the gate does to an agent that nobody has approved. Undefined if something else stops the agent. @param mayChange whether the reader may
 * change the gate, and so needs the link to it
 */
export function gateClause(
  { status, frozen, lifecycle_status, policy }: Pick<Agent, 'status' | 'frozen' | 'lifecycle_status' | 'policy'>,
  gate: Gate,
  mayChange: boolean,
): Clause | undefined {
  if (status === 'suspended' || status === 'archived' || frozen) return undefined
  if (lifecycle_status !== 'proposed' || !policy) return undefined
  return { text: unapproved[gate], tone: 'hold', ...(mayChange && { to: '/settings' }) }
}

interface Clauses {
  waiting: Clause[]
  wrong: Clause[]
  /** What people approved instead of what runs. */
  instead?: Clause[]
  fine: string | undefined
}

type Version = Pick<NonNullable<Agent['approved_policy']>, 'id' | 'version'>

/** Who is it, and does what runs match what was approved? What is wrong comes first. Only a policy whose name is known has a link. */
export function clausesOf({ agent, names, gate }: About): Clauses {
  const { running_policy: running, approved_policy: approved, drift } = agent
  const waiting: Clause[] = []
  if (agent.status === 'archived') waiting.push({ text: 'It is archived: every call is denied' })
  else if (agent.frozen) waiting.push({ text: 'It is frozen: every call is denied', tone: 'deny' })
  else if (agent.status === 'suspended') waiting.push({ text: 'It is suspended: every call is denied', tone: 'deny' })
  else if (agent.lifecycle_status === 'blocked' || agent.lifecycle_status === 'retired')
    waiting.push({ text: `It is ${agent.lifecycle_status}: every call is denied` })
  if (gate) waiting.push(gate)
  if (!running) {
    const fine = agent.policy ? 'No edge has reported what it runs.' : 'It has no policy, so every call is denied.'
    return { waiting, wrong: [], fine }
  }
  const rotated = agent.new_key_unused_since
  if (rotated !== null) {
    const text = `Its key was rotated at ${clockTime(rotated)}, and its edge has not reported with the new key`
    return { waiting, wrong: [{ text, tone: 'deny' }], fine: 'Mandate refuses the old key.' }
  }
  const placeOf = ({ id, version }: Version) => names[id] !== undefined && policyPlace(id, version ?? 'current')
  const policy = isolated(names[running.id] ?? 'a policy')
  const runs = `It runs ${versionOf(running.version)} of ${policy}`
  if (drift === true) {
    const other =
      approved && approved.id !== running.id ? ` of ${isolated(names[approved.id] ?? 'another policy')}` : ''
    const since = running.since === null ? '' : ` since ${clockTime(running.since)}`
    return {
      waiting,
      wrong: [
        {
          start: 'It runs ',
          text: versionOf(running.version),
          rest: ` of ${policy}${since}`,
          ...placeOf(running),
          tone: 'deny',
        },
      ],
      instead: [
        {
          start: 'People approved ',
          text: `${versionOf(approved?.version)}${other}`,
          ...(approved && placeOf(approved)),
        },
      ],
      fine: undefined,
    }
  }
  if (drift === false) return { waiting, wrong: [], fine: `${runs}, as approved.` }
  if (gate && !approved) return { waiting, wrong: [{ text: runs }], fine: undefined }
  const why = approved
    ? 'The content of the approved version is not known, so the two cannot be compared'
    : 'Nobody has approved a version yet'
  return { waiting, wrong: [{ text: `${runs}. ${why}` }], fine: undefined }
}

/** The first clause as text, for screen readers. */
export function heardOf({ waiting, wrong, instead, fine }: Clauses): string {
  const first = waiting[0] ?? wrong[0]
  if (!first) return fine ?? ''
  const said = textOf(first)
  return first === wrong[0] && instead?.[0] ? `${said}. ${textOf(instead[0])}` : said
}

const textOf = ({ start = '', text, rest = '' }: Clause) => `${start}${text}${rest}`

/** How drift ends without a review, and the version that a restore brings back if a restore ends it. */
export function wayBackOf({
  policy,
  approved_policy: approved,
  running_policy: running,
  names = {},
}: Pick<Agent, 'policy' | 'approved_policy' | 'running_policy' | 'names'>): {
  restores?: { id: string; version: number }
  text: string
} {
  const known = approved ? names[approved.id] : undefined
  if (!approved || known === undefined)
    return { text: 'The approved policy was deleted, or you may not see it, so it cannot be brought back here.' }
  const { id, version } = approved
  const name = isolated(known)
  if (version === null) return { text: 'It is not known which version was approved, so no version can be restored.' }
  if (policy?.id === id && policy.version === version)
    return {
      text: `Version ${version} of ${name} is in force: the edge takes it at its next heartbeat, and then the finding closes.`,
    }
  // A restore reaches the agent only if the restored policy is assigned and runs. An approved version may not exist, because edges report any number.
  if (policy?.id !== id || running?.id !== id || version > policy.version) {
    const way = policy?.id === id ? `${name} is assigned.` : `The other way is to assign ${name} again.`
    return { text: `${way} The finding closes when its version ${version} is in force and an edge reports it.` }
  }
  const text = `A restore brings version ${version} back, and the finding closes at the next heartbeat.`
  return { restores: { id, version }, text }
}

/** By which policy the reach of the agent is, in words. */
export interface ReachPolicies {
  /** Such as "version 5 of Support, assigned and running". */
  assigned: string
  /** True if the agent is stopped, so that every call is denied whatever the policy says. */
  isStopped: boolean
  /** The running version, if another one is assigned and the reader may see it. */
  running?: { id: string; version: number; text: string }
  /** Says that another version runs than the assigned one. */
  note?: string
}

/** True if the profile of the agent denies every call, whatever its policy says. */
function mayNotAct(
  { status, frozen, lifecycle_status: lifecycle }: Pick<Agent, 'status' | 'frozen' | 'lifecycle_status'>,
  gate: Gate,
): boolean {
  if (frozen || status === 'suspended' || status === 'archived') return true
  return lifecycle === 'blocked' || lifecycle === 'retired' || (gate === 'enforce' && lifecycle !== 'approved')
}

type OfReach = Pick<Agent, 'status' | 'frozen' | 'lifecycle_status' | 'policy' | 'running_policy' | 'names'>

/** Compares the assigned policy, which decides the reach, with the one that an edge reported. */
export function reachPoliciesOf(agent: OfReach, gate: Gate): ReachPolicies {
  const { policy, running_policy: running, names = {} } = agent
  const isStopped = mayNotAct(agent, gate)
  if (isStopped) return { assigned: 'the profile that denies every call', isStopped }
  const none = 'no policy, so every call is denied'
  if (!policy && !running) return { assigned: none, isStopped }
  const assigned = policy ? `version ${policy.version} of ${isolated(policy.name)}` : 'no policy'
  if (!running) return { assigned: `${assigned}, assigned. No edge has reported what it runs`, isStopped }
  if (policy?.id === running.id && policy.version === running.version)
    return { assigned: `${assigned}, assigned and running`, isStopped }
  const { id, version } = running
  const name = names[id]
  const text = `${versionOf(version)} of ${name === undefined ? 'a policy that was deleted or that you may not see' : isolated(name)}`
  return {
    assigned: policy ? `${assigned}, assigned` : none,
    isStopped,
    note: `An edge runs ${text}. ${policy?.id === id ? `Version ${policy.version}` : capital(assigned)} is assigned.`,
    ...(name !== undefined && version !== null && { running: { id, version, text: `${text}, running` } }),
  }
}

type Difference = NonNullable<Schema<'PolicyVersionDetail'>['diff']>

/** What the difference between the approved and the running version does to calls. An entry that does not loosen is proven not to. */
export function differenceClause({ fields, rules }: Difference): string {
  const entries = [...fields, ...rules.added, ...rules.changed, ...rules.removed]
  return entries.some(({ change_class }) => change_class === 'loosens')
    ? 'The difference may allow more than people approved.'
    : 'The difference allows nothing more than people approved.'
}

const shapes: Record<Event['type'], GlyphName> = {
  lifecycle: 'edit',
  suspension: 'suspended',
  freeze: 'frozen',
  policy: 'right',
  version: 'edit',
  approval: 'approved',
  review: 'hold',
  drift: 'differs',
  finding: 'warn',
  key: 'key',
}

type Told = (who: string, event: Event) => string

const about = ({ resource }: Event) => `“${isolated(resource.name)}”`
const saved: Told = (who, event) => {
  const { version } = event.details as { version?: number }
  return `${who} saved ${version ? `version ${version} of ` : ''}${about(event)}`
}
/** What a freeze covers. An entry of an earlier version does not say it. */
const coveredBy = ({ details: { scope } }: Event) =>
  scope === 'organization' ? 'the organization' : scope === 'environment' ? 'the environment of the agent' : 'the agent'
/** " with version 2 of “Refunds”". Empty if the review approved no version. */
const approvedVersion = ({ details: { approved } }: Event) => {
  const { version, policy_name: name } = (approved ?? {}) as { version?: number | null; policy_name?: string | null }
  return version ? ` with version ${version}${name ? ` of “${isolated(name)}”` : ''}` : ''
}
const typeOf = ({ details }: Event) => findingName(String(details.type ?? 'finding'))

const outcomes: Readonly<Record<string, string>> = {
  approved: 'approved',
  rejected: 'rejected',
  attested: 'attested',
  superseded: 'closed',
}
const lifecycleWord = (state: unknown) =>
  (lifecycles as Readonly<Record<string, { word: string }>>)[String(state)]?.word ?? 'another value'

/** Mandate changes reviews itself after a report of an edge. */
function byMandate(tell: Told): Told {
  return (who, event) => {
    const report = afterReportOf(event.actor)
    return report === undefined ? tell(who, event) : `${tell('Mandate', event)}, ${report}`
  }
}

const sentences: Record<string, Told> = {
  'agent.created': (who) => `${who} registered the agent`,
  'agent.discovered': () => 'The agent was discovered',
  'agent.updated': (who, { details }) => {
    const changed = changedOfAgent(details)
    return `${who} changed the agent${changed && `: ${changed}`}`
  },
  'agent.suppressed': (who) => `${who} suppressed the agent`,
  'agent.archived': (who) => `${who} archived the agent`,
  'agent.lifecycle.changed': (who, { details }) =>
    `${who} changed the lifecycle to ${lifecycleWord(details.new_state)}`,
  'agent.suspended': (who) => `${who} suspended the agent`,
  'agent.resumed': (who) => `${who} resumed the agent`,
  'agent.policy_assigned': (who) => `${who} assigned a policy`,
  'agent.key_rotated': (who) => `${who} replaced the agent key`,
  'freeze.started': (who, event) => `${who} froze ${coveredBy(event)}`,
  'freeze.lifted': (who, event) => `${who} lifted the freeze of ${coveredBy(event)}`,
  'freeze.drilled': (who, event) => `${who} ran a freeze drill of ${coveredBy(event)}`,
  'review.opened': byMandate((who, { details }) => `${who} opened ${reviewOf(String(details.kind ?? ''))}`),
  'review.resolved': byMandate(
    (who, event) =>
      `${who} ${outcomes[String(event.details.outcome)] ?? 'resolved'} ${reviewOf(String(event.details.kind ?? ''))}${approvedVersion(event)}`,
  ),
  'policy.created': saved,
  'policy.updated': saved,
  'policy.rule_created': saved,
  'policy.rule_updated': saved,
  'policy.rule_deleted': saved,
  'policy.restored': saved,
}

/**
 * An event of the timeline as a sentence, with its shape and what it says about the agent. A version of its policy may be older than the agent:
 * then the sentence says that it belongs to the policy. @param registeredAt when the agent was registered
 */
export function toldOf(
  event: Event,
  registeredAt: string,
): { glyph: GlyphName; text: string; tone: 'bad' | 'proof' | 'quiet' } {
  const kind = String(event.details.event_type)
  const isOpened = kind === 'finding.opened'
  if (event.type === 'drift')
    return isOpened
      ? { glyph: 'differs', text: 'Drift began', tone: 'bad' }
      : { glyph: 'same', text: 'Drift ended', tone: 'proof' }
  if (event.type === 'finding')
    return {
      glyph: 'warn',
      text: `Finding ${isOpened ? 'opened' : 'closed'}: ${typeOf(event)}`,
      tone: isOpened ? 'bad' : 'quiet',
    }
  const tell = sentences[kind]
  const told = tell
    ? tell(isolated(event.actor.name) || event.actor.type, event)
    : `${isolated(event.actor.name)}: ${kind}`
  const isOlder = event.type === 'version' && Date.parse(event.at) < Date.parse(registeredAt)
  const text = isOlder ? `Policy history: ${told}` : told
  return { glyph: shapes[event.type], text, tone: event.type === 'approval' ? 'proof' : 'quiet' }
}

/** Returns the page about the object of an event. A policy has a link only if `names` has it. The timeline has no names, so these are the agent's. */
export function linkOfEvent(
  { resource: { type, id }, details }: Pick<Event, 'resource' | 'details'>,
  names: Names,
): { text: string; to: string; search?: Search } | undefined {
  if (type === 'review' && id !== null) return { text: 'Review', to: `/reviews/${id}` }
  if (type === 'freeze' && id !== null) return { text: 'Freeze', to: `/freezes/${id}` }
  if (type === 'policy' && id !== null && names[id] !== undefined && typeof details.version === 'number')
    return { text: 'What changed', ...policyPlace(id, details.version) }
  if (typeof details.new_policy_id === 'string' && names[details.new_policy_id] !== undefined)
    return { text: 'Policy', ...policyPlace(details.new_policy_id, 'current') }
  return undefined
}
