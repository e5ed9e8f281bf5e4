import { connect } from '../connection/connect.ts'
import { policyId } from '../find/find-policy.ts'
import { type ConfirmOptions, confirm } from '../output/confirm.ts'
import { note } from '../output/note.ts'

/** Deletes a policy with its versions. The control plane refuses while the policy is assigned to an agent. */
export async function deletePolicy(named: string, options: ConfirmOptions): Promise<void> {
  const { client } = await connect()
  const policy_id = await policyId(client, named)
  const { name, version } = await client.call('getPolicy', { path: { policy_id } })
  await confirm(`Delete the policy ${name} (version ${version}) permanently?`, options)
  await client.call('deletePolicy', { path: { policy_id }, ifMatch: version })
  note(`${name} is deleted.`)
}
