import type {
  CredentialEvent,
  DelegationsEvent,
  EdgeEventType,
  FreezeEvent,
  PinsEvent,
} from '@mandate/contract/edge-push'
import { canonicalJson } from '@mandate/proofs/canonical'
import { credentialVersionType } from '../../events/credential-events.ts'
import type { EventRow } from '../../events/event-row.ts'
import type { SigningKey } from '../../security/signing-key.ts'
import { delegationsVersionType } from '../delegations/raise-version.ts'
import { pinsVersionType } from '../tools/raise-version.ts'

/** The text of an event as a stream sends it. JSON has no line breaks, so it is one line of `data`. */
export const edgeEventText = (type: EdgeEventType, data: object) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`

/** The type of the stored event that tells all instances which agents an edge carries. It is for servers only. */
export const carriedType = 'edge.carries'

/** Which agents may have another profile after a change. */
export type Affected = { agentId: string } | { policyId: string } | { environmentId: string } | 'all'

/** What a stored event means for edges. */
export interface Meaning {
  /** The agents whose profiles must be compared. */
  affected?: Affected
  /** An approval that was resolved, used, or has expired. */
  approvalId?: string
  freeze?: FreezeNews
  credential?: CredentialNews
  version?: VersionNews
  /** True if a credential may have ended. */
  endsKeys?: boolean
}

/** Types of audit entries after which a key may no longer be valid. */
const keyEndings = new Set([
  'edge.revoked',
  'agent.key_rotated',
  'agent.archived',
  'agent.suppressed',
  'platform.disconnected',
  'environment.deleted',
  'tenant.deleted',
])

/** A credential of an environment that was changed or deleted. */
export interface CredentialNews {
  environmentId: string
  event: CredentialEvent
}

/** A new version of the pins, or of the list of ended delegations, of an environment. */
export interface VersionNews {
  type: 'pins' | 'delegations'
  environmentId: string
  event: PinsEvent | DelegationsEvent
}

const versionTypes: Readonly<Record<string, VersionNews['type']>> = {
  [pinsVersionType]: 'pins',
  [delegationsVersionType]: 'delegations',
}

/** A freeze that started or ended, or a drill, and the place of its target. */
export interface FreezeNews {
  event: Omit<FreezeEvent, 'tenant_id' | 'signature'>
  agentId: string | null
  environmentId: string | null
}

/**
 * Signs the event of a freeze in the way in which mission profiles are signed. All tenants have the same signing key, so the event names its
 * tenant.
 */
export function signedFreeze(
  { event }: FreezeNews,
  tenantId: string,
  signingKey: Pick<SigningKey, 'sign'>,
): FreezeEvent {
  const signed = { ...event, tenant_id: tenantId }
  return { ...signed, signature: signingKey.sign(canonicalJson(signed)) }
}

function freezeOf({ type, resourceId: id, agentId, environmentId, at }: EventRow): FreezeNews {
  const fields = { id, drill: type === 'freeze.drilled', lifted: type === 'freeze.lifted', at }
  const event: FreezeNews['event'] =
    agentId !== null
      ? { ...fields, scope: 'agent', agent_id: agentId }
      : environmentId !== null
        ? { ...fields, scope: 'environment', environment_id: environmentId }
        : { ...fields, scope: 'organization' }
  return { event, agentId, environmentId }
}

function affectedBy({ event, agentId, environmentId }: FreezeNews): Affected {
  if (event.scope === 'organization') return 'all'
  return agentId !== null ? { agentId } : { environmentId: environmentId as string }
}

const approvalEnds = new Set(['approval.resolved', 'approval.consumed', 'approval.expired'])

/** Returns what an event means for edges. Events that mean nothing for edges give an empty object. */
export function meaningOf(row: EventRow): Meaning {
  if (!row.isAudited) {
    const { environmentId, details: event } = row
    if (environmentId === null) return {}
    if (row.type === credentialVersionType) return { credential: { environmentId, event } }
    const type = versionTypes[row.type]
    return type ? { version: { type, environmentId, event } } : {}
  }
  const { type, resourceType, resourceId, agentId } = row
  const endsKeys = keyEndings.has(type)
  if (approvalEnds.has(type)) return { approvalId: resourceId }
  const [area] = type.split('.')
  switch (area) {
    case 'agent':
    case 'review':
      return { endsKeys, ...(agentId && { affected: { agentId } }) }
    case 'policy':
      return { affected: resourceType === 'policy' ? { policyId: resourceId } : 'all' }
    case 'environment':
      return { endsKeys, affected: resourceType === 'environment' ? { environmentId: resourceId } : 'all' }
    case 'freeze': {
      const freeze = freezeOf(row)
      return freeze.event.drill ? { freeze } : { freeze, affected: affectedBy(freeze) }
    }
    case 'governance_gate':
    case 'tenant':
    case 'platform':
      return { endsKeys, affected: 'all' }
    default:
      return { endsKeys }
  }
}
