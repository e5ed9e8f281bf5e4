import { useState } from 'react'
import { type List, useList } from '../../api/use-list.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { MoreActions } from '../../ui/actions/more-actions.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { DeleteCredential, EditCredential, RotateCredential } from './change-credential.tsx'
import { CreateCredential } from './create-credential.tsx'
import { type Credential, fineOf, kindNames, settingOf } from './words.ts'

/** Which secrets of tools are there, and are they used? The secrets themselves are never shown. */
export function CredentialsPage() {
  const because = whyNot(useSession(), 'createCredential')
  const dialog = useDialog({ create: because })
  const list = useList('listCredentials', { query: { include: 'may,names', limit: 100 } })
  const { rows } = list
  return (
    <>
      <PageHead
        name="Credentials"
        sentence={rows && <Sentence wrong={[]} fine={fineOf(list.total ?? rows.length)} />}
        actions={
          <Button look="act" disabledBecause={because} onPress={() => dialog.open('create')}>
            Store a credential
          </Button>
        }
      />
      <ListPart
        list={list}
        empty={
          <Empty>
            A credential is the secret of a tool. Edges use it for agents, and agents never see it. Store one, and name
            it in the servers file of an edge.
          </Empty>
        }
      >
        {() => <CredentialTable list={list} />}
      </ListPart>
      {dialog.name === 'create' && <CreateCredential onClose={dialog.close} />}
    </>
  )
}

type Act = 'edit' | 'rotate' | 'delete'

const dialogs = { edit: EditCredential, rotate: RotateCredential, delete: DeleteCredential }

function CredentialTable({ list: { rows = [], names } }: { list: List<Credential> }) {
  const [open, setOpen] = useState<{ act: Act; credential: Credential }>()
  const Changing = open && dialogs[open.act]
  return (
    <>
      <Table
        label="Credentials, by name"
        rows={rows}
        idOf={({ id }) => id}
        columns={[
          { head: 'Name', cell: ({ name }) => <code>{name}</code> },
          { head: 'Kind', cell: ({ kind }) => kindNames[kind], narrow: 'start' },
          { head: 'Environment', cell: ({ environment_id: id }) => <Name>{names[id] ?? id}</Name> },
          { head: 'Setting', cell: (credential) => <Name>{settingOf(credential)}</Name> },
          { head: 'Version', isNumber: true, cell: ({ version }) => version },
          { head: 'Last used', cell: ({ last_used_at: at }) => (at ? <Time at={at} /> : 'never used'), narrow: 'end' },
          { head: 'Changed', cell: ({ updated_at: at }) => <Time at={at} /> },
          {
            head: 'Actions',
            isActions: true,
            cell: (credential) => (
              <>
                <Button
                  look="plain"
                  reason="hidden"
                  name={`Rotate ${credential.name}`}
                  disabledBecause={credential.may_not?.rotateCredential}
                  onPress={() => setOpen({ act: 'rotate', credential })}
                >
                  Rotate
                </Button>
                <MoreActions
                  of={credential.name}
                  history={{ resource_type: 'credential', resource_id: credential.id }}
                  actions={[
                    {
                      name: 'Change…',
                      disabledBecause: credential.may_not?.updateCredential,
                      act: () => setOpen({ act: 'edit', credential }),
                    },
                    {
                      name: 'Delete…',
                      disabledBecause: credential.may_not?.deleteCredential,
                      act: () => setOpen({ act: 'delete', credential }),
                    },
                  ]}
                />
              </>
            ),
          },
        ]}
      />
      {Changing && <Changing credential={open.credential} onClose={() => setOpen(undefined)} />}
    </>
  )
}
