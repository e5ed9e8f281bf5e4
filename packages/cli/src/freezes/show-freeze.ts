import { connect } from '../connection/connect.ts'
import type { OutputOptions } from '../output/format.ts'
import { showOne } from '../output/show.ts'
import { freezeId } from './find-freeze.ts'
import { reachOf, stateOf } from './list-freezes.ts'

export async function showFreeze(named: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const path = { freeze_id: await freezeId(client, named) }
  const { names = {}, ...freeze } = await client.call('getFreeze', { path, query: { include: 'names' } })
  showOne(freeze, options, [
    { title: 'Name', value: ({ name }) => name },
    { title: 'Scope', value: ({ scope }) => scope },
    { title: 'State', value: stateOf },
    { title: 'Reason', value: ({ reason }) => reason },
    { title: 'Started', value: ({ created_at }) => created_at },
    { title: 'By', value: ({ created_by }) => created_by && (names[created_by] ?? created_by) },
    { title: 'Agents', value: ({ agents }) => agents },
    { title: 'Approvals ended', value: ({ approvals_ended }) => approvals_ended },
    { title: 'Edges', value: reachOf },
    { title: 'All confirmed', value: ({ confirmed_all_at }) => confirmed_all_at },
    ...(freeze.lifted_at === null
      ? []
      : [
          { title: 'Lifted', value: () => freeze.lifted_at },
          { title: 'Lifted by', value: () => freeze.lifted_by && (names[freeze.lifted_by] ?? freeze.lifted_by) },
          { title: 'Lift reason', value: () => freeze.lift_reason },
        ]),
    { title: 'Id', value: ({ id }) => id },
  ])
}
