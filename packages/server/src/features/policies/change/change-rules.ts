import type { NewRule, RuleUpdate, SavedRule } from '@mandate/contract/policies/policies'
import type { Rule, Snapshot } from '@mandate/policy/types'
import type { Member } from '../../../authz/actor.ts'
import { requireAuthority } from '../../../authz/can.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { notFound } from '../../../refusal.ts'
import { ruleOf, withoutRule, withRule } from './document.ts'
import { type SavedPolicy, savePolicy } from './save-policy.ts'

interface RuleAddress {
  policyId: string
  ruleId: string
}

/**
 * Adds a rule to a policy and saves a new version of the policy. Throws the same errors as `savePolicy`. An error in the new
 * rule names the rule by its index, which follows the indexes of the existing rules.
 */
export async function createRule(ctx: Ctx<Member>, policyId: string, sent: NewRule, ifMatch?: string) {
  requireAuthority(ctx.actor, 'member')
  const rule = ruleOf(sent, newId())
  const saved = await savePolicy(
    ctx,
    policyId,
    {
      producedBy: 'rule_created',
      apply: (current) => ({ ...current, rules: [...current.rules, rule] }),
      details: { rule_id: rule.id, rule_name: rule.name },
    },
    ifMatch,
  )
  return savedRule(saved, rule.id)
}

/** Changes a rule. Fields that the request does not contain keep their values. @throws 404 if the policy has no such rule */
export async function updateRule(
  ctx: Ctx<Member>,
  { policyId, ruleId }: RuleAddress,
  sent: RuleUpdate,
  ifMatch?: string,
): Promise<SavedRule> {
  const change = (current: Snapshot) => withRule(current, ruleId, sent)
  return savedRule(await saveRuleChange(ctx, { policyId, ruleId }, 'rule_updated', change, ifMatch), ruleId)
}

/** Removes a rule and returns the policy's new version. @throws 404 for a rule that the policy does not have */
export async function deleteRule(ctx: Ctx<Member>, { policyId, ruleId }: RuleAddress, ifMatch?: string) {
  const remove = (current: Snapshot) => withoutRule(current, ruleId)
  return (await saveRuleChange(ctx, { policyId, ruleId }, 'rule_deleted', remove, ifMatch)).version
}

/**
 * Saves a change of one rule. `change` returns undefined if the policy has no such rule. The audit entry names the rule: an
 * updated rule by its new name, a deleted rule by its last name.
 */
function saveRuleChange(
  ctx: Ctx<Member>,
  { policyId, ruleId }: RuleAddress,
  producedBy: 'rule_updated' | 'rule_deleted',
  change: (current: Snapshot) => Snapshot | undefined,
  ifMatch?: string,
): Promise<SavedPolicy> {
  requireAuthority(ctx.actor, 'member')
  const details: Record<string, unknown> = { rule_id: ruleId }
  const apply = (current: Snapshot) => {
    const next = change(current)
    if (!next) throw notFound('rule')
    details.rule_name = ruleIn(producedBy === 'rule_deleted' ? current.rules : next.rules, ruleId).name
    return next
  }
  return savePolicy(ctx, policyId, { producedBy, apply, details }, ifMatch)
}

function savedRule(saved: SavedPolicy, ruleId: string): SavedRule {
  return {
    ...ruleIn(saved.rules as Rule[], ruleId),
    policy_version: saved.version,
    warnings: saved.warnings,
  } as SavedRule
}

function ruleIn(rules: readonly Rule[], ruleId: string): Rule {
  const rule = rules.find(({ id }) => id === ruleId)
  if (!rule) throw new Error(`rule ${ruleId} is missing from its policy`)
  return rule
}
