import type { Policy } from '@mandate/contract/policies/policies'
import { mayPart } from '../../caller/may-part.ts'
import { findStandings } from './queries.ts'
import { policyRules } from './rules.ts'

// The policy was deleted after it was read. The caller can then change nothing.
const unknown = { in_reach: false, in_use: true }

export const policyMay = mayPart(policyRules, async ({ sql, actor }, policies: readonly Omit<Policy, 'rules'>[]) => {
  const ids = policies.map(({ id }) => id)
  const standings = await findStandings(sql, actor, ids)
  return (policy) => ({ ...policy, ...(standings.get(policy.id) ?? unknown) })
})
