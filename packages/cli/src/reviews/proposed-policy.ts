import { takeSnapshot } from '@mandate/policy/snapshot'
import type { Snapshot } from '@mandate/policy/types'
import { canonicalJson } from '@mandate/proofs/canonical'
import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { type Environments, environmentsForSlugs, slugOf } from '../find/find-environment.ts'
import { policyName } from '../find/find-policy.ts'
import { ifVisible } from '../find/if-visible.ts'
import { printable } from '../output/printable.ts'
import { renderDiff, renderNew } from '../policies/render-diff.ts'

type Agent = Schema<'Agent'>
type PolicyAt = { id: string; version: number | null }

/** Compares the policy version that a review would approve with the version that is approved now. Returns lines for a terminal. */
export async function proposedPolicyLines(
  client: Client,
  { kind }: Schema<'Review'>,
  { policy, approved_policy, running_policy }: Agent,
): Promise<string[]> {
  const proposed: PolicyAt | null = kind === 'change' ? running_policy : policy
  if (!proposed) return ['The agent has no policy: an approval sets no approval of record.']
  const name = await policyName(client, proposed.id)
  const title = `version ${proposed.version ?? '?'} of ${printable(name)}`
  const content = await contentOf(client, proposed)
  if (!content) return [`To approve: ${title}. You cannot see this version, or it does not exist.`]
  const environments = await environmentsForSlugs(client)
  const record = approved_policy && (await contentOf(client, approved_policy))
  if (!record || approved_policy?.id !== proposed.id) {
    const before = approved_policy
      ? 'The approval of record is another policy.'
      : 'No review has approved a policy before.'
    return [`To approve: ${title}. ${before}`, ...indented(renderNew(content, environmentOf(content, environments)))]
  }
  if (canonicalJson(takeSnapshot(record)) === canonicalJson(takeSnapshot(content))) {
    return [`To approve: ${title}. It is already the approval of record.`]
  }
  const changes = renderDiff(record, content, (id) => slugOf(environments, id))
  return [
    `To approve: ${title}. Compared with the approval of record, version ${approved_policy.version}:`,
    ...indented(changes),
  ]
}

/** Undefined if the version is unknown or the caller cannot see it. */
async function contentOf(client: Client, { id: policy_id, version }: PolicyAt): Promise<Snapshot | undefined> {
  if (version === null) return undefined
  const found = await ifVisible(client.call('getPolicyVersion', { path: { policy_id, version } }))
  return found?.snapshot as Snapshot | undefined
}

function environmentOf({ environment_id }: Snapshot, environments: Environments): string | null {
  return environment_id === null ? null : slugOf(environments, environment_id)
}

const indented = (lines: string[]) => lines.map((line) => `  ${line}`)
