import type { Policy } from '@mandate/contract/policies/policies'
import type { PolicyWarning } from '@mandate/policy/changes/find-dead-rules'
import { takeSnapshot } from '@mandate/policy/snapshot'
import type { Snapshot } from '@mandate/policy/types'
import type { PolicyRow, PolicyWithRules } from './queries.ts'

/** The response for a policy; `snapshot` is its document. `warnings` is set only after a save. */
export function policyAnswer(
  row: Pick<PolicyRow, 'id' | 'tenant_id' | 'version' | 'created_at' | 'updated_at'> & { agents: number },
  document: Snapshot,
  warnings?: PolicyWarning[],
): Policy {
  const { rules, ...fields } = takeSnapshot(document)
  const { id, tenant_id, version, agents, created_at, updated_at } = row
  const policy = {
    id,
    tenant_id,
    ...fields,
    version,
    rules,
    agents,
    created_at,
    updated_at,
    ...(warnings && { warnings }),
  }
  return policy as Policy
}

export const storedPolicyAnswer = (row: PolicyWithRules & { agents: number }): Policy => policyAnswer(row, row)
