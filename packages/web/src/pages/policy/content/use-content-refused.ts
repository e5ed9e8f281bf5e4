import { minimumPlans } from '@mandate/contract/words/plans'
import { whyNot } from '../../../api/why-not.ts'
import { useSession } from '../../../session/session.ts'
import { plansWith } from '../../../words/plans.ts'
import type { Policy } from '../document/document.ts'

/** Why content rules of the policy cannot be turned on. A policy that has them keeps them after a change of plan. */
export function useContentRefused({ dlp_enabled: isOn }: Pick<Policy, 'dlp_enabled'>): string | undefined {
  const session = useSession()
  const refused = whyNot(session, 'createPolicy:content')
  if (isOn || refused === undefined) return undefined
  // For a person who may create policies, the plan is the reason.
  return whyNot(session, 'createPolicy') === undefined ? `${refused} ${plansWith(minimumPlans.contentRules)}` : refused
}
