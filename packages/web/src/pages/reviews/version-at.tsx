import { PolicyVersionLink } from '../../ui/page/policy-link.tsx'
import type { PolicyAt } from '../review/judged.ts'

interface VersionAtProps {
  at: PolicyAt | null
  names: Readonly<Record<string, string>>
}

/** A version that a review is about. The name of the policy is known if the reader may see the policy. */
export function VersionAt({ at, names }: VersionAtProps) {
  if (at === null) return 'None'
  return <PolicyVersionLink id={at.policy_id} name={names[at.policy_id] ?? null} version={at.version} />
}
