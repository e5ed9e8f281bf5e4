import {
  agentSources,
  agentStatuses,
  attestedModes,
  driftStates,
  governanceStates,
  lifecycleStatuses,
} from '@mandate/contract/agents'
import { approvalEnds, approvalStatuses } from '@mandate/contract/approvals'
import { credentialKinds } from '@mandate/contract/credentials'
import { delegationEnds } from '@mandate/contract/delegations'
import { freezeScopes } from '@mandate/contract/freezes'
import { platformKinds } from '@mandate/contract/platforms'
import { changeClasses, versionOrigins } from '@mandate/contract/policies/policies'
import { reviewKinds, reviewStatuses } from '@mandate/contract/reviews'
import { governanceGates } from '@mandate/contract/tenants'
import { findingTypes } from '@mandate/contract/words/agent-words'
import { patternKinds } from '@mandate/contract/words/content-words'
import { effects, governanceModes, overrideModes } from '@mandate/contract/words/policy-words'
import { accessScopes, roles } from '@mandate/contract/words/roles'
import { toolPinnings } from '@mandate/contract/words/tool-words'
import { expect, it } from 'vitest'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()

/** Columns whose check constraint allows the words of the contract, and these words. */
const words: Record<string, readonly string[]> = {
  'agent_evidence.mode': attestedModes,
  'agents.governance_state': governanceStates,
  'agents.lifecycle_status': lifecycleStatuses,
  'agents.source': agentSources,
  'agents.status': agentStatuses,
  'approvals.ended_because': approvalEnds,
  'approvals.status': approvalStatuses,
  'content_patterns.kind': patternKinds,
  'decisions.effect': effects,
  'decisions.mode': governanceModes,
  'delegations.ended_because': delegationEnds,
  'environments.governance_mode': governanceModes,
  'environments.tool_pinning': toolPinnings,
  'findings.type': findingTypes,
  'freezes.scope': freezeScopes,
  'credentials.kind': credentialKinds,
  'platforms.kind': platformKinds,
  'policies.default_effect': effects,
  'policies.override_mode': overrideModes,
  'policy_rules.effect': effects,
  'policy_versions.change_class': changeClasses,
  'policy_versions.produced_by': versionOrigins,
  'reviews.kind': reviewKinds,
  'reviews.status': reviewStatuses,
  'agents.drift_state': driftStates,
  'decision_kinds.effect': effects,
  'decision_kinds.mode': governanceModes,
  'decision_records.effect': effects,
  'decision_records.mode': governanceModes,
  'tenants.governance_gate': governanceGates,
  'users.access_scope': accessScopes,
  'users.role': roles,
}

/** Columns whose words the contract does not list, because only this service writes them. */
const own = [
  'approvals.assigned_role',
  'audit_entries.category',
  'audit_entries.source',
  'audit_refused.reason',
  'credential_lookup.kind',
  'decision_gaps.kind',
  'events.audience',
  'findings.status',
  'mail_counts.period',
  'mail_proofs.purpose',
  'reports.status',
  'reviews.assigned_role',
  'users.status',
]

/** Returns the words that each column's check constraint allows, by table and column. */
async function allowedWords(): Promise<Record<string, string[]>> {
  const { rows } = await server.owner.query<{ table: string; check: string }>(
    `select conrelid::regclass::text as table, pg_get_constraintdef(oid) as check from pg_constraint
     where contype = 'c' and connamespace = 'public'::regnamespace
       and not (select relispartition from pg_class where oid = conrelid) and pg_get_constraintdef(oid) like '%::text%'`,
  )
  const found = rows.flatMap(({ table, check }) => {
    const column = /^CHECK \(\((\w+) = ANY \(ARRAY\[/.exec(check)?.[1]
    return column === undefined
      ? []
      : [[`${table}.${column}`, [...check.matchAll(/'(\w+)'::text/g)].map(([, word]) => word)]]
  })
  return Object.fromEntries(found)
}

it('every column that allows only some words allows those of the contract', async () => {
  const allowed = await allowedWords()
  expect(Object.keys(allowed).sort()).toEqual([...Object.keys(words), ...own].sort())
  const sorted = (all: Record<string, readonly string[] | undefined>) =>
    Object.fromEntries(Object.keys(words).map((column) => [column, all[column]?.toSorted()]))
  expect(sorted(allowed)).toEqual(sorted(words))
})
