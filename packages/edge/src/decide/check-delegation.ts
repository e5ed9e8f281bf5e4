import type { Outcome } from './check-call.ts'

/**
 * Denies the call if its delegation does not allow it, in monitor mode too: a person limited the agent, and not the policy that is observed. A
 * denial by the policy stays, unless monitor mode would let the call pass.
 */
export function applyDelegation(checked: Outcome, refusal: string | null): Outcome {
  if (refusal === null || (checked.effect === 'deny' && checked.mode === 'enforce')) return checked
  return {
    ...checked,
    effect: 'deny',
    mode: 'enforce',
    rule: null,
    reason: refusal,
    deniedBecause: 'delegation',
    held: null,
    usedRules: [],
  }
}
