import { classifyChange } from '@mandate/policy/changes/classify-change'
import { classifyDiff } from '@mandate/policy/changes/classify-diff'
import { takeSnapshot } from '@mandate/policy/snapshot'
import type { Snapshot } from '@mandate/policy/types'
import { canonicalJson } from '@mandate/proofs/canonical'
import type { Client } from '@mandate/sdk/client'
import { MandateError } from '@mandate/sdk/mandate-error'
import { connect } from '../connection/connect.ts'
import { environmentsForSlugs, slugOf } from '../find/find-environment.ts'
import { policyId } from '../find/find-policy.ts'
import { differs, Failure, usageFailure } from '../invocation/failure.ts'
import { invocation } from '../invocation/invocation.ts'
import { dataFormat, type OutputOptions, printData } from '../output/format.ts'
import { note } from '../output/note.ts'
import { print } from '../output/print.ts'
import { printable } from '../output/printable.ts'
import { renderDiff } from './render-diff.ts'

/** Compares two versions of a policy. By default `to` is the current version, and `from` is the version before `to`. */
export async function diffVersions(
  named: string,
  from: number | undefined,
  to: number | undefined,
  output: OutputOptions,
): Promise<void> {
  const { client } = await connect()
  const policy_id = await policyId(client, named)
  const { name, version } = await client.call('getPolicy', { path: { policy_id } })
  const upper = to ?? version
  const lower = from ?? upper - 1
  if (lower < 1) throw usageFailure('there is no version before version 1')
  const [before, after] = [
    await snapshotAt(client, policy_id, lower, name),
    await snapshotAt(client, policy_id, upper, name),
  ]
  const equal = canonicalJson(takeSnapshot(before)) === canonicalJson(takeSnapshot(after))
  if (!equal) invocation().exitCode = differs
  const format = dataFormat(output)
  if (format) {
    const change = { change_class: classifyChange(before, after), diff: classifyDiff(before, after) }
    printData({ policy_id, name, from: lower, to: upper, equal, ...change }, format, output)
    return
  }
  if (equal) return note(`${name}: versions ${lower} and ${upper} are the same`)
  const environments = await environmentsForSlugs(client)
  const lines = renderDiff(before, after, (id) => slugOf(environments, id))
  print(`${printable(name)}: version ${lower} → version ${upper}`)
  for (const line of lines) print(`  ${line}`)
}

/** Reads the content of one version of a policy. @throws Failure if the version does not exist */
export async function snapshotAt(client: Client, policy_id: string, version: number, name: string): Promise<Snapshot> {
  try {
    const found = await client.call('getPolicyVersion', { path: { policy_id, version } })
    return found.snapshot as Snapshot
  } catch (error) {
    if (!(error instanceof MandateError) || error.status !== 404) throw error
    throw new Failure(`${name} has no version ${version}`, {
      hint: 'to list the versions of a policy: mandate policies versions <policy>',
    })
  }
}
