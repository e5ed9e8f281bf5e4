import { lazy, Suspense, useState } from 'react'
import { useWrite } from '../../../api/queries.ts'
import { type RowOf, useList } from '../../../api/use-list.ts'
import { whyNot } from '../../../api/why-not.ts'
import { Button } from '../../../ui/actions/button.tsx'
import { useTextNow } from '../../../ui/browser/use-now.ts'
import { Confirm } from '../../../ui/dialogs/dialog.tsx'
import { tell } from '../../../ui/dialogs/toast.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { ListPart } from '../../../ui/lists/list-part.tsx'
import { Table } from '../../../ui/lists/table.tsx'
import { HistoryLink } from '../../../ui/page/history-link.tsx'
import { Panel } from '../../../ui/page/panel.tsx'
import { State } from '../../../ui/page/state.tsx'
import { DelegationChain } from '../../../ui/texts/delegation-chain.tsx'
import { Name } from '../../../ui/texts/name.tsx'
import { Empty } from '../../../ui/texts/notes.tsx'
import { Time } from '../../../ui/texts/time.tsx'
import type { Agent } from '../words.ts'
import { delegationName, delegationStates, endOf, stateAt } from './delegation-words.ts'

const CreateDelegation = lazy(async () => ({ default: (await import('./create-delegation.tsx')).CreateDelegation }))

type Delegation = RowOf<'listDelegations'>

/** For whom may the agent act, with which tools, and until when? */
export function Delegations({ agent }: { agent: Agent }) {
  const because = whyNot(agent, 'createDelegation')
  const dialog = useDialog({ delegate: because })
  const [revoked, setRevoked] = useState<Delegation>()
  const query = { agent_id: agent.id, include: 'may,names', limit: 50 }
  const list = useList('listDelegations', { query })
  return (
    <Panel
      title="Delegations"
      more={
        <Button look="act" disabledBecause={because} onPress={() => dialog.open('delegate')}>
          Delegate
        </Button>
      }
    >
      <ListPart
        list={list}
        empty={
          <Empty>
            A delegation lets the agent act for a person with some tools, for at most 24 hours. It narrows what the
            policy allows.
          </Empty>
        }
      >
        {(rows) => (
          <Table
            label="Delegations that the agent holds, newest first"
            rows={rows}
            idOf={({ id }) => id}
            columns={[
              { head: 'Chain', cell: ({ chain }) => <DelegationChain chain={chain} /> },
              {
                head: 'Tools',
                cell: ({ tools }) => (
                  <code>
                    <Name>{tools.join(' ')}</Name>
                  </code>
                ),
                narrow: 'start',
              },
              { head: 'State', cell: (row) => <DelegationState row={row} />, narrow: 'top' },
              { head: 'Why', cell: (row) => endOf(row) },
              { head: 'Expires', cell: ({ expires_at: at }) => <Time at={at} />, narrow: 'end' },
              {
                head: 'Actions',
                isActions: true,
                cell: (row) => (
                  <>
                    <Button
                      look="plain"
                      reason="hidden"
                      name={`Revoke the ${delegationName(row)}`}
                      disabledBecause={row.may_not?.revokeDelegation}
                      onPress={() => setRevoked(row)}
                    >
                      Revoke
                    </Button>
                    <HistoryLink
                      of={{ resource_type: 'delegation', resource_id: row.id }}
                      name={`the ${delegationName(row)}`}
                    />
                  </>
                ),
              },
            ]}
          />
        )}
      </ListPart>
      <Suspense>{dialog.name === 'delegate' && <CreateDelegation agent={agent} onClose={dialog.close} />}</Suspense>
      {revoked && <RevokeDelegation delegation={revoked} onClose={() => setRevoked(undefined)} />}
    </Panel>
  )
}

const DelegationState = ({ row }: { row: Delegation }) => (
  <State {...delegationStates[useTextNow((now) => stateAt(row, now))]} />
)

function RevokeDelegation({ delegation, onClose }: { delegation: Delegation; onClose: () => void }) {
  const { id, chain } = delegation
  const revoke = useWrite('revokeDelegation')
  const act = async () => {
    await revoke.mutateAsync({ path: { delegation_id: id } })
    tell('Revoked the delegation.')
  }
  return (
    <Confirm
      title={`Revoke the ${delegationName(delegation)}?`}
      verb="Revoke"
      look="danger"
      act={act}
      onClose={onClose}
    >
      <p>
        <DelegationChain chain={chain} />
      </p>
      <p>Everything below it ends too. Edges on a stream deny the tokens at once, others after their next heartbeat.</p>
    </Confirm>
  )
}
