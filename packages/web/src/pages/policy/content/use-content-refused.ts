import { whyNot } from '../../../api/why-not.ts'
import { useSession } from '../../../session/session.ts'
import type { Policy } from '../document/document.ts'

/** Why content rules of the policy cannot be turned on. A policy that has them keeps them after a change of plan. */
export function useContentRefused({ dlp_enabled: isOn }: Pick<Policy, 'dlp_enabled'>): string | undefined {
  const refused = whyNot(useSession(), 'createPolicy:content')
  return isOn ? undefined : refused
}
