import type { FreezeScope } from '@mandate/contract/freezes'
import type { Member } from '../../authz/actor.ts'
import { ownerRefusal } from '../../authz/can.ts'
import type { Rules } from '../../authz/may.ts'
import { mayPart } from '../../caller/may-part.ts'
import { conflict, type Refusal } from '../../refusal.ts'

interface Judged {
  scope: FreezeScope
  drill: boolean
  lifted_at: string | null
}

/** Returns the 403 for an actor who may not start or lift a freeze of this scope. The endpoints require a manager or an owner. */
export function scopeRefusal(actor: Member, scope: unknown): Refusal | undefined {
  if (scope !== 'organization') return undefined
  return ownerRefusal(actor, 'only an owner may freeze the organization or lift its freeze')
}

/** Returns the 409 for a target that cannot be frozen. `status` is that of an agent. */
export function targetRefusal({ status }: { status?: string }): Refusal | undefined {
  return status === 'archived' ? conflict('an archived agent cannot be frozen') : undefined
}

const inWords: Record<FreezeScope, string> = {
  agent: 'this agent',
  environment: 'this environment',
  organization: 'the organization',
}

/** The 409 for a target that has an active freeze. */
export const frozenRefusal = (scope: FreezeScope): Refusal =>
  conflict(`${inWords[scope]} is frozen already; lift that freeze first`)

/** Returns the 403 or 409 for a freeze that the actor cannot lift. */
export function liftRefusal(actor: Member, { scope, drill, lifted_at }: Judged): Refusal | undefined {
  const refusal = scopeRefusal(actor, scope)
  if (refusal) return refusal
  if (drill) return conflict('a drill stops nothing, so it cannot be lifted')
  return lifted_at === null ? undefined : conflict('this freeze was lifted already')
}

const freezeRules: Rules<Judged> = { liftFreeze: liftRefusal }

export const freezeMay = mayPart(freezeRules, () => (freeze: Judged) => freeze)
