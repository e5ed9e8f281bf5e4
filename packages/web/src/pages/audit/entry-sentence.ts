import type { Schema } from '@mandate/sdk'
import { isolated } from '../../ui/texts/direction/isolated.ts'
import type { GlyphName } from '../../ui/texts/glyph.tsx'
import { changedOfAgent, changedOfEnvironment } from '../../words/changed-fields.ts'
import { denialOf } from '../../words/denials.ts'
import { afterReportOf, reviewOf } from '../../words/reviews.ts'
import { dayOf } from '../../words/times.ts'
import { counted } from '../../words/words.ts'
import { findingName } from '../findings/finding-types.ts'

// One sentence for each event of the audit trail: who, what, and what it was done to. The raw form of the entry has everything else.

export type Entry = Schema<'AuditEntry'>
type Denial = Schema<'Decision'>['denied_because']
type Names = Record<string, string>

/** A sentence with its parts in the order of reading. The name of the object is shown stronger. */
export interface EntrySentence {
  glyph: GlyphName
  /** True if the entry says that something is wrong. */
  isBad?: boolean
  actor: string
  before: string
  object: string
  /** The page of the object, if it has one. */
  objectTo?: string
  /** The filters of that page. */
  objectSearch?: Record<string, string>
  after: string
  /** The page that shows what the entry is about, if there is one. */
  link?: { text: string; to: string; search?: Record<string, string> }
}

/** What a phrase is made of. Each text that somebody chose is free of `#`, so it cannot take the place of the object. */
interface Facts {
  entry: Entry
  /** The name of an object of the details. Undefined if the reader does not see the object. */
  nameOf: (id: string) => string | undefined
  /** A detail as text, or an empty text. */
  text: (key: string) => string
  /** The name of the resource. */
  resource: string
  /** The agent that the entry is about. */
  agent: string
  /** True if a person did it to the own account. */
  isOwn: boolean
}

/** What was done, with `#` for the object, which is the name of the resource unless `object` says otherwise. */
interface Phrase {
  glyph: GlyphName
  isBad?: boolean
  say: (facts: Facts) => string
  object?: (facts: Facts) => string
  /** Who did it, if that is not the actor of the entry. */
  actor?: (facts: Facts) => string
}

const ofAgent = ({ agent }: Facts) => agent
/** True if an agent with its own edge did something with an own call. It is then named once. */
const isOwnCall = ({ actor, resource }: Entry) => actor.type === 'agent' && resource.type === 'approval'
const callOf = ({ entry }: Facts) => (isOwnCall(entry) ? '#' : 'a call of #')
const callOrAgent = ({ entry, agent }: Facts) => (isOwnCall(entry) ? 'a call' : agent)
const findingOf = (type: string) => (type === '' ? '' : `“${findingName(type)}”`)
const quoted = (text: string) => (text === '' ? '' : `, “${text}”`)
const listed = (changed: string) => (changed === '' ? '' : `: ${withoutSign(changed)}`)
const environmentOf = ({ entry, nameOf, text }: Facts) => {
  const id = entry.environment_id ?? text('environment_id')
  return id ? (nameOf(id) ?? 'an environment') : ''
}
const into = (facts: Facts) => (environmentOf(facts) ? ` in ${environmentOf(facts)}` : '')
const person = (say: Phrase['say']): Phrase => ({ glyph: 'person', say })
const edit = (say: Phrase['say']): Phrase => ({ glyph: 'edit', say })
const key = (say: Phrase['say']): Phrase => ({ glyph: 'key', say })
const version = ({ text }: Facts) => (text('version') ? `, version ${text('version')}` : '')
const withRule = ({ text }: Facts) => text('rule_name') || 'a rule'
const versionOf = (policyId: unknown, at: unknown, nameOf: Facts['nameOf']) => {
  const policy = nameOf(textOf(policyId)) ?? 'a policy'
  return textOf(at) === '' ? policy : `${policy}, version ${textOf(at)}`
}
/** The policy version that a review approved. Empty if the review approved no version. */
const approvedBy = ({ entry: { details }, nameOf }: Facts) => {
  const { approved } = details
  if (typeof approved !== 'object' || approved === null) return ''
  const { policy_id: id, version: at } = approved as Record<string, unknown>
  return ` with ${versionOf(id, at, nameOf)}`
}
const isEndedByFreeze = ({ text }: Facts) => text('ended_because') === 'frozen'
/** Why an approval ended. An entry of an earlier version does not say how the agent was stopped. */
const endOf = (facts: Facts) => {
  const { text } = facts
  if (isEndedByFreeze(facts)) return ''
  if (text('reason') === 'time') return ' because its time was over'
  if (text('reason') !== 'agent_stopped') return ''
  const ended = text('ended_because') as Denial
  return ` because ${(ended && denialOf({ denied_because: ended })?.clause) || 'the agent was stopped'}`
}
/** The texts of a list in the details, the first three of them. Entries of earlier versions do not have every list. */
const fewOf = ({ entry: { details } }: Facts, name: string) => {
  const list = details[name]
  if (!Array.isArray(list)) return undefined
  const more = list.length - 3
  return withoutSign(list.slice(0, 3).map(textOf).map(isolated).join(', ')) + (more > 0 ? ` and ${more} more` : '')
}
const until = ({ text }: Facts) => (text('expires_at') ? `until ${dayOf(text('expires_at'))}` : 'without expiry')
/** What a key may do, and until when. */
const keyPower = (facts: Facts) => {
  const scopes = fewOf(facts, 'scopes')
  return scopes === undefined ? '' : `, ${scopes ? `scopes ${scopes}` : 'all scopes'}, ${until(facts)}`
}
const isReadOnly = ({ text }: Facts) => text('read_only') === 'true'
/** The role of a person, with what narrows it. */
const asRole = (facts: Facts, role: string) =>
  `${facts.text('academy_only') === 'true' ? 'learner' : role}${isReadOnly(facts) ? ', read-only' : ''}${
    facts.text('access_scope') === 'scoped' ? ', limited access' : ''
  }`
/** Says whose key ended. If the key ended together with something else, says with what. */
const endOfKey = ({ entry, text, nameOf }: Facts) => {
  const creator = text('created_by_name') || nameOf(text('created_by')) || 'a person'
  const isOwn = text('created_by') === entry.actor.user_id
  if (text('because') === 'environment_deleted') return ', because its environment was deleted'
  if (text('because') === 'address_proved') return ` of ${creator}, because the address was proved by mail`
  if (text('because') === 'user_removed') return isOwn ? ', by leaving' : ` of ${creator}, by removing the person`
  return isOwn || text('created_by') === '' ? '' : ` of ${creator}`
}
const ownerless = ({ text }: Facts) => {
  const agents = Number(text('agents_owned')) || 0
  return agents === 0 ? '' : `; ${counted(agents, '# agent has', '# agents have')} no owner now`
}
const outcomes: Record<string, string> = {
  approved: 'approved',
  rejected: 'rejected',
  denied: 'denied',
  attested: 'attested',
}

const phrases: Record<string, Phrase> = {
  'api_key.created': key(
    (facts) =>
      `created the API key #${environmentOf(facts) ? ` bound to ${environmentOf(facts)}` : ''}${keyPower(facts)}`,
  ),
  'api_key.revoked': key((facts) => `revoked the API key #${endOfKey(facts)}`),
  'api_key.environment_changed': key(
    (facts) => `changed the binding of the API key #${environmentOf(facts) ? ` to ${environmentOf(facts)}` : ''}`,
  ),
  'user.invited': person((facts) => `invited # as ${asRole(facts, facts.text('role'))}`),
  'mail.withheld': { glyph: 'warn', say: ({ text }) => `sent no mail to #, because of a limit of ${text('limit')}` },
  'user.joined': person((facts) => `joined as ${asRole(facts, facts.text('role'))} #`),
  'user.signed_in': person(() => 'signed in #'),
  'user.sign_in_failed': {
    glyph: 'warn',
    say: ({ text }) => `saw ${counted(Number(text('attempts')) || 1, '# failed sign-in', '# failed sign-ins')} of #`,
  },
  'user.signed_out': person(() => 'signed out #'),
  'session.revoked': person(({ text, isOwn }) => {
    const isOne = text('sessions') === '1'
    return isOwn
      ? `ended ${isOne ? 'one of their sessions' : 'their sessions'} #`
      : `ended ${isOne ? 'a session' : 'the sessions'} of #`
  }),
  'user.profile_updated': person(({ text, isOwn }) =>
    text('mfa_enrolled') === 'true'
      ? `enrolled a second factor ${isOwn ? '#' : 'for #'}`
      : text('email_verified') === 'true'
        ? `verified ${isOwn ? 'their address #' : 'the address of #'}`
        : `changed ${isOwn ? 'their profile #' : 'the profile of #'}`,
  ),
  'user.role_changed': person((facts) => {
    const { text } = facts
    return `made # ${text('new_role')}${isReadOnly(facts) ? ' (read-only)' : ''}, was ${text('old_role')}`
  }),
  'user.removed': person((facts) =>
    facts.isOwn ? `left the organization${ownerless(facts)} #` : `removed #${ownerless(facts)}`,
  ),
  'user.invitation.revoked': person(() => 'withdrew the invitation of #'),
  'user.platform_access_granted': person(
    (facts) => `gave # platform access as ${asRole(facts, facts.text('role_given'))}`,
  ),
  'user.mfa_reset': person(() => 'reset MFA of #'),
  'user.address_released': person(() => 'released the address of #'),
  'user.access_scope_changed': person(({ text }) =>
    text('new_access_scope') === 'all' ? 'gave # full access' : 'limited the access of #',
  ),
  'user.read_only_changed': person(({ text }) =>
    text('new_read_only') === 'true' ? 'made # read-only' : 'let # make changes again',
  ),
  'user.grant_created': person(({ text }) => `granted ${text('agent_name')} to #`),
  'user.grant_revoked': person(({ text }) => `took the grant of ${text('agent_name')} from #`),
  'user.environment_access_created': person(({ text }) => `opened ${text('environment_name')} to #`),
  'user.environment_access_revoked': person(({ text }) => `closed ${text('environment_name')} to #`),
  'tenant.created': edit(() => 'created the organization #'),
  'tenant.updated': edit(() => 'changed the settings of #'),
  'tenant.saml_updated': edit(
    ({ text }) => `changed SAML of #, which is ${text('saml_enabled') === 'true' ? 'on' : 'off'}`,
  ),
  'tenant.deleted': edit(() => 'deleted the organization #'),
  'tenant.plan_changed': edit(({ text }) => `changed the plan of # from ${text('old_plan')} to ${text('new_plan')}`),
  'governance_gate.changed': edit(
    ({ text }) => `changed the governance gate of #${text('new_gate') ? ` to ${text('new_gate')}` : ''}`,
  ),
  'environment.created': edit(() => 'created the environment #'),
  'environment.updated': edit(({ entry }) => `changed the environment #${listed(changedOfEnvironment(entry.details))}`),
  'environment.deleted': edit(() => 'deleted the environment #'),
  'edge.created': key((facts) => `created the edge #${into(facts)}`),
  'edge.revoked': key(
    (facts) =>
      `revoked the edge #${facts.text('because') === 'environment_deleted' ? ', because its environment was deleted' : into(facts)}`,
  ),
  'edge.decisions_anchored': {
    glyph: 'seal',
    say: ({ text }) => `put the hash of decision ${text('seq')} of # into the audit trail`,
  },
  'platform.connected': edit(({ text }) => `connected the platform # (${text('kind')})`),
  'platform.disconnected': edit(() => 'disconnected the platform #'),
  'platform.synced': edit(({ text }) => `synchronized the platform #: ${text('status')}`),
  'credential.created': key((facts) => `stored the credential #${into(facts)}`),
  'credential.updated': key(() => 'changed the credential #'),
  'credential.rotated': key(() => 'replaced the secret of the credential #'),
  'credential.deleted': key(() => 'deleted the credential #'),
  'credential.fetched': key(({ text }) => `fetched the credential #${text('server') ? ` for ${text('server')}` : ''}`),
  'tool.pinned': edit(() => 'pinned the definition of the tool #'),
  'tool.unpinned': edit(() => 'removed the pins of the tool #'),
  'tool.blocked': edit(() => 'blocked the tool #'),
  'tool.unblocked': edit(() => 'ended the block of the tool #'),
  'tool.labels_changed': edit(() => 'changed the labels of the tool #'),
  'report.created': edit(() => 'created the report #'),
  'report.completed': edit(() => 'finished the report #'),
  'report.failed': { glyph: 'warn', isBad: true, say: () => 'could not make the report #' },
  'report.deleted': edit(() => 'deleted the report #'),
  'report.shared': edit(() => 'shared the report #'),
  'report.share_revoked': edit(() => 'revoked a share link of the report #'),
  'agent.created': edit((facts) => `registered #${into(facts)}`),
  'agent.updated': edit(({ entry }) => `changed #${listed(changedOfAgent(entry.details))}`),
  'agent.archived': { glyph: 'retired', say: () => 'archived #' },
  'agent.suppressed': { glyph: 'retired', say: () => 'suppressed #' },
  'agent.suspended': { glyph: 'suspended', say: ({ text }) => `suspended #${quoted(text('reason'))}` },
  'agent.resumed': { glyph: 'right', say: ({ text }) => `resumed #${quoted(text('reason'))}` },
  'agent.key_rotated': key(() => 'rotated the key of #'),
  'agent.policy_assigned': edit(({ text }) =>
    text('policy_name')
      ? `assigned # the policy ${text('policy_name')}${text('policy_version') && `, version ${text('policy_version')}`}`
      : 'assigned a policy to #',
  ),
  'agent.lifecycle.changed': edit(
    ({ text }) => `set # to ${text('new_state')}, was ${text('previous_state')}${quoted(text('reason'))}`,
  ),
  'agent.discovered': { glyph: 'search', say: ({ text }) => `discovered # in ${text('source')}` },
  'freeze.started': { glyph: 'frozen', isBad: true, say: ({ text }) => `froze #${quoted(text('reason'))}` },
  'freeze.lifted': { glyph: 'frozen', say: ({ text }) => `lifted the freeze of #${quoted(text('reason'))}` },
  'freeze.drilled': { glyph: 'frozen', say: () => 'ran a freeze drill of #' },
  'delegation.created': key((facts) => {
    const tools = fewOf(facts, 'tools')
    return `delegated ${facts.text('parent_id') ? 'on ' : ''}to #${tools ? `: ${tools}, ${until(facts)}` : ''}`
  }),
  'delegation.revoked': key(({ text }) =>
    text('because') === 'revoked' ? 'revoked a delegation to #' : 'ended a delegation to #',
  ),
  'review.opened': { glyph: 'hold', say: ({ text }) => `opened ${reviewOf(text('kind'))} of #` },
  'review.resolved': {
    glyph: 'approved',
    say: (facts) =>
      facts.text('outcome') === 'superseded'
        ? 'closed a review of # that is no longer needed'
        : `${outcomes[facts.text('outcome')] ?? 'resolved'} #${approvedBy(facts)}${quoted(facts.text('comment'))}`,
  },
  'approval.requested': {
    glyph: 'hold',
    object: callOrAgent,
    say: (facts) => `asked for the approval of ${callOf(facts)}: ${facts.resource}`,
  },
  'approval.resolved': {
    glyph: 'approved',
    object: ofAgent,
    say: ({ resource, text }) =>
      `${outcomes[text('outcome')] ?? 'decided'} a call of #: ${resource}${quoted(text('comment'))}`,
  },
  'approval.consumed': {
    glyph: 'right',
    object: callOrAgent,
    say: (facts) => `used the approval of ${callOf(facts)}: ${facts.resource}`,
  },
  'approval.expired': {
    glyph: 'clock',
    object: ofAgent,
    actor: (facts) => (isEndedByFreeze(facts) ? freezeBy(facts.entry) : actorOf(facts.entry)),
    say: (facts) =>
      `${facts.text('previous_state') === 'pending' ? 'ended the request for approval' : 'ended the approval'} of a call of #${endOf(
        facts,
      )}: ${facts.resource}`,
  },
  'finding.opened': {
    glyph: 'differs',
    isBad: true,
    say: ({ text }) => `opened the finding ${findingOf(text('type'))} on #`,
  },
  'finding.closed': { glyph: 'same', say: ({ text }) => `closed the finding ${findingOf(text('type'))} on #` },
  'finding.accepted': { glyph: 'same', say: ({ text }) => `accepted the finding ${findingOf(text('type'))} on #` },
  'policy.created': edit(() => 'created the policy #'),
  'policy.updated': edit((facts) => `changed the policy #${version(facts)}`),
  'policy.deleted': edit(() => 'deleted the policy #'),
  'policy.rule_created': edit((facts) => `added the rule ${withRule(facts)} to #${version(facts)}`),
  'policy.rule_updated': edit((facts) => `changed the rule ${withRule(facts)} of #${version(facts)}`),
  'policy.rule_deleted': edit((facts) => `removed the rule ${withRule(facts)} from #${version(facts)}`),
  'policy.content_bindings_updated': edit((facts) => `changed the content bindings of #${version(facts)}`),
  'content_pattern.created': edit(() => 'created the content pattern #'),
  'content_pattern.updated': edit(() => 'changed the content pattern #'),
  'content_pattern.deleted': edit(() => 'deleted the content pattern #'),
  'policy.restored': edit((facts) => `restored version ${facts.text('restored_from')} of #${version(facts)}`),
}

/** Says an entry as a sentence. An event of a later version has its name in the place of the verb. */
export function sentenceOf(entry: Entry, names: Names): EntrySentence {
  const phrase = phrases[entry.event_type] ?? { glyph: 'dot', say: () => `recorded ${entry.event_type} of #` }
  const isOwn = entry.resource.id !== null && entry.resource.id === entry.actor.user_id
  const facts: Facts = {
    entry,
    isOwn,
    nameOf: (id) => (names[id] === undefined ? undefined : withoutSign(isolated(names[id]))),
    text: (name) => withoutSign(isolated(textOf(entry.details[name]))),
    resource: withoutSign(isolated(entry.resource.name)),
    agent: (entry.agent_id && names[entry.agent_id]) || 'an agent',
  }
  const said = phrase.say(facts)
  const at = said.indexOf('#')
  // "Mara signed in" is enough where a person did something alone.
  const link = linkOf(entry)
  const personId = entry.resource.type === 'user' && entry.resource.id
  // A person has no page. The trail also knows people who were removed.
  const objectTo = personId ? '/audit' : isOwnCall(entry) ? undefined : pageOf(entry)
  const leavesOutObject = isOwn && said.endsWith(' #') && !/ (?:of|for|to|from) #$/.test(said)
  return {
    glyph: phrase.glyph,
    ...(phrase.isBad && { isBad: true }),
    actor: isReported(entry) ? 'Mandate' : (phrase.actor?.(facts) ?? actorOf(entry)),
    before: withSign(said.slice(0, at)).trimEnd(),
    object: leavesOutObject ? '' : (phrase.object?.(facts) ?? entry.resource.name),
    ...(objectTo && { objectTo }),
    ...(personId && { objectSearch: { ...historyOf(entry.event_type, personId), tab: 'all' } }),
    after: `${withSign(said.slice(at + 1))}${reportOf(entry)}`,
    ...(link && { link }),
  }
}

// PostgreSQL stores no text with a NUL, so a NUL in a phrase is always a `#` that somebody wrote.
const withoutSign = <T extends string | undefined>(text: T): T => text?.replaceAll('#', '\0') as T
const withSign = (text: string) => text.replaceAll('\0', '#')

/** True if Mandate made the change because of a report. The actor of the entry is then the edge, or the agent with its own edge. */
const isReported = ({ source, event_type: event }: Entry) => source === 'edge' && /^(?:finding|review)\./.test(event)

function reportOf(entry: Entry): string {
  if (!isReported(entry)) return ''
  const report = afterReportOf(entry.actor)
  return report === undefined ? '' : `, ${report}`
}

const freezeBy = (entry: Entry) => (entry.actor.type === 'system' ? 'A freeze' : `A freeze by ${actorOf(entry)}`)

/** The page of what a sentence names as its object. Reviews, findings and approvals have the name of their agent there. */
function pageOf({ event_type: event, resource, agent_id: agentId }: Entry): string | undefined {
  if (resource.type === 'policy' && event === 'policy.deleted') return undefined
  if (resource.type === 'agent' || resource.type === 'policy')
    return resource.id === null ? undefined : `/${resource.type === 'agent' ? 'agents' : 'policies'}/${resource.id}`
  return agentId && ofAgents.has(resource.type) ? `/agents/${agentId}` : undefined
}

const ofAgents = new Set(['review', 'finding', 'approval'])

/** The page that shows more about the entry: a review, an approval, a freeze, a policy, or the difference that the entry made in a policy. */
function linkOf({ event_type: event, resource, details }: Entry): EntrySentence['link'] {
  if (resource.type === 'review' && resource.id !== null) return { text: 'Review', to: `/reviews/${resource.id}` }
  if (resource.type === 'approval' && resource.id !== null)
    return { text: 'Approval', to: '/approvals', search: { open: resource.id, decided: 'all' } }
  const freeze = resource.type === 'freeze' ? resource.id : textOf(details.freeze_id)
  if (freeze) return { text: 'Freeze', to: `/freezes/${freeze}` }
  if (event === 'agent.policy_assigned' && textOf(details.new_policy_id))
    return { text: 'Policy', to: `/policies/${textOf(details.new_policy_id)}` }
  if (resource.type !== 'policy' || resource.id === null || event === 'policy.deleted') return undefined
  const to = `/policies/${resource.id}`
  if (event === 'policy.content_bindings_updated') return { text: 'Content', to, search: { tab: 'content' } }
  const version = event === 'policy.created' ? '1' : textOf(details.version)
  return version === '' ? undefined : { text: 'What changed', to, search: { tab: 'versions', version } }
}

/** An invited person may not have done anything yet. */
const historyOf = (event: string, personId: string): Record<string, string> =>
  event.startsWith('user.invit') ? { resource_type: 'user', resource_id: personId } : { actor_id: personId }

const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

function actorOf({ actor, api_key }: Entry): string {
  const name = isolated(actor.name || actor.email || '')
  switch (actor.type) {
    case 'system':
      return 'Mandate'
    case 'operator':
      return 'The operator'
    case 'edge':
      return `The edge ${name}`
    case 'api_key':
      return api_key ? `${name} (key ${isolated(api_key.name)})` : name
    default:
      return name || 'A person'
  }
}
