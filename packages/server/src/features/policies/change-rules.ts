import type { NewRule, RuleUpdate, SavedRule } from '@mandate/contract/policies'
import type { Rule } from '@mandate/policy/types'
import type { Member } from '../../authz/actor.ts'
import { requireAuthority } from '../../authz/can.ts'
import { newId } from '../../db/new-id.ts'
import type { Ctx } from '../../http/ctx.ts'
import { notFound } from '../../refusal.ts'
import { ruleOf, withoutRule, withRule } from './document.ts'
import { type SavedPolicy, savePolicy } from './save-policy.ts'

interface RuleAddress {
  policyId: string
  ruleId: string
}

/** Adds a rule, as a new version of its policy. Refusals are those of `savePolicy`; the new rule is judged as the last. */
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

/** Changes the rule's fields that are sent. 404 for a rule that the policy does not have. */
export async function updateRule(
  ctx: Ctx<Member>,
  { policyId, ruleId }: RuleAddress,
  sent: RuleUpdate,
  ifMatch?: string,
): Promise<SavedRule> {
  requireAuthority(ctx.actor, 'member')
  const details: Record<string, unknown> = { rule_id: ruleId }
  const saved = await savePolicy(
    ctx,
    policyId,
    {
      producedBy: 'rule_updated',
      apply: (current) => {
        const next = withRule(current, ruleId, sent)
        if (!next) throw notFound('rule')
        details.rule_name = ruleIn(next.rules, ruleId).name
        return next
      },
      details,
    },
    ifMatch,
  )
  return savedRule(saved, ruleId)
}

/** Removes a rule, and answers the policy's new version. 404 for a rule that the policy does not have. */
export async function deleteRule(ctx: Ctx<Member>, { policyId, ruleId }: RuleAddress, ifMatch?: string) {
  requireAuthority(ctx.actor, 'member')
  const details: Record<string, unknown> = { rule_id: ruleId }
  const saved = await savePolicy(
    ctx,
    policyId,
    {
      producedBy: 'rule_deleted',
      apply: (current) => {
        const next = withoutRule(current, ruleId)
        if (!next) throw notFound('rule')
        details.rule_name = ruleIn(current.rules, ruleId).name
        return next
      },
      details,
    },
    ifMatch,
  )
  return saved.version
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
  if (!rule) throw new Error('a saved rule is missing from its policy')
  return rule
}
