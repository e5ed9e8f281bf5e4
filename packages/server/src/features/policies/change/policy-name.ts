import type { PolicyWarning } from '@mandate/policy/changes/find-dead-rules'
import type { Member } from '../../../authz/actor.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { coded } from '../../../refusal.ts'
import { findNamesake, lockName, type NamedPolicy } from '../queries.ts'

// Commands and policy files find a policy by its name and environment. So the names in an environment differ, and those of the policies
// for all environments. Policies that had the same name before this rule keep it until they are renamed.

/**
 * Keeps the name in its environment for a policy until the transaction ends.
 * @throws 409 `policy_name_taken` if another policy has it. The text names the other policy if the actor sees it.
 */
export async function claimName(tx: Tx, actor: Member, policy: NamedPolicy): Promise<void> {
  await lockName(tx, policy)
  const other = await findNamesake(tx, actor, policy)
  if (!other) return
  const named = other.is_visible ? `policy ${other.id}` : 'another policy'
  const text = `name: ${named} already has this name ${placeOf(policy)}; choose another name`
  throw coded('policy_name_taken', { text })
}

/** Warns of another policy that has the name of this stored policy. */
export async function namesakeWarnings(db: Sql, actor: Member, policy: NamedPolicy): Promise<PolicyWarning[]> {
  const message = (id: string) => `policy ${id} also has this name ${placeOf(policy)}; rename one of them`
  return await warningOf(db, actor, policy, message)
}

/** Warns of the policy because of which a save with this name and environment would be refused. */
export async function takenNameWarnings(db: Sql, actor: Member, policy: NamedPolicy): Promise<PolicyWarning[]> {
  const which = policy.id === undefined ? 'a new policy with this name is refused' : 'a save with this name is refused'
  return await warningOf(db, actor, policy, (id) => `policy ${id} already has this name ${placeOf(policy)}; ${which}`)
}

async function warningOf(db: Sql, actor: Member, policy: NamedPolicy, messageOf: (id: string) => string) {
  const other = await findNamesake(db, actor, policy)
  return other?.is_visible ? [{ path: 'name', message: messageOf(other.id) }] : []
}

const placeOf = ({ environment_id }: NamedPolicy) =>
  environment_id === null ? 'for all environments' : 'in this environment'
