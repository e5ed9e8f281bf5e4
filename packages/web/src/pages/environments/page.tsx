import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { useList } from '../../api/use-list.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { copyText } from '../../ui/actions/copy-text.ts'
import { MoreActions } from '../../ui/actions/more-actions.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { modeLooks } from '../../ui/page/states.ts'
import { Name } from '../../ui/texts/name.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { gateEffects, gateNames } from '../../words/gate.ts'
import { counted, onlyGranted } from '../../words/words.ts'
import { DeleteEnvironment } from './delete-environment.tsx'
import { EditEnvironment } from './edit-environment.tsx'
import css from './environments.module.css'
import { clausesOf, pinnings } from './words.ts'

type Environment = Schema<'Environment'>

/** Where do agents run, and does a denied call stop there? */
export function EnvironmentsPage() {
  const session = useSession()
  const because = whyNot(session, 'createEnvironment')
  const dialog = useDialog({ create: because })
  const { data: gate } = useQuery(read('getGovernanceGate'))
  const list = useList('listEnvironments', { query: { include: 'may', limit: 200 } })
  const [edited, setEdited] = useState<Environment>()
  const [deleted, setDeleted] = useState<Environment>()
  const { rows } = list
  return (
    <>
      <PageHead
        name="Environments"
        sentence={
          rows && (
            <Sentence
              wrong={clausesOf(rows)}
              fine={
                (rows.length === 0 ? onlyGranted(session.user) : undefined) ??
                counted(list.total ?? 0, 'There is # environment.', 'There are # environments.')
              }
            />
          )
        }
        actions={
          <Button look="act" disabledBecause={because} onPress={() => dialog.open('create')}>
            Create environment
          </Button>
        }
      />
      <div className={css.parts}>
        <Panel
          title="Governance gate of the organization"
          more={<PageLink to="/settings">Settings</PageLink>}
          legend={gate && <span>{gateNames[gate.gate]}</span>}
        >
          <p className={css.gate}>{gate && gateEffects[gate.gate]}</p>
        </Panel>
        <Panel title="Environments" legend={<span className={css.note}>Owners decide in production.</span>}>
          <ListPart
            list={list}
            empty={<Empty>You have access to no environment. Ask a manager or an owner for access.</Empty>}
          >
            {(environments) => (
              <Table
                label="Environments"
                rows={environments}
                idOf={({ id }) => id}
                columns={[
                  { head: 'Name', cell: ({ name }) => <Name>{name}</Name> },
                  { head: 'Slug', cell: ({ slug }) => <code>{slug}</code>, narrow: 'start' },
                  {
                    head: 'Kind',
                    cell: ({ is_production }) => (is_production ? 'Production' : 'Not production'),
                  },
                  {
                    head: 'Enforcement',
                    cell: ({ governance_mode: mode }) => <State {...modeLooks[mode]} />,
                    narrow: 'end',
                  },
                  {
                    head: 'Tool pinning',
                    cell: ({ tool_pinning: pinning }) => <State {...pinnings[pinning]} />,
                  },
                  {
                    head: 'Arguments',
                    cell: ({ keep_arguments_for_replay: keeps }) => (keeps ? 'Kept for replay' : 'Not kept'),
                  },
                  {
                    head: 'Tools',
                    cell: ({ id }) => (
                      <PageLink to="/tools" search={{ environment_id: id }}>
                        Tools
                      </PageLink>
                    ),
                  },
                  {
                    head: 'Agents',
                    cell: ({ id }) => (
                      <PageLink to="/agents" search={{ environment_id: id }}>
                        Agents
                      </PageLink>
                    ),
                  },
                  {
                    head: 'Edges',
                    cell: ({ id }) => (
                      <PageLink to="/edges" search={{ environment_id: id }}>
                        Edges
                      </PageLink>
                    ),
                  },
                  { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
                  {
                    head: 'Actions',
                    isActions: true,
                    cell: (environment) => (
                      <>
                        <Button
                          look="plain"
                          reason="hidden"
                          name={`Edit ${environment.name}`}
                          disabledBecause={whyNot(environment, 'updateEnvironment')}
                          onPress={() => setEdited(environment)}
                        >
                          Edit
                        </Button>
                        <MoreActions
                          of={environment.name}
                          history={{ resource_type: 'environment', resource_id: environment.id }}
                          actions={[
                            {
                              name: 'Copy id',
                              act: () => void copyText(environment.id, `id of ${environment.name}`),
                            },
                            {
                              name: 'Delete',
                              look: 'danger',
                              disabledBecause: whyNot(environment, 'deleteEnvironment'),
                              act: () => setDeleted(environment),
                            },
                          ]}
                        />
                      </>
                    ),
                  },
                ]}
              />
            )}
          </ListPart>
        </Panel>
      </div>
      {dialog.name === 'create' && <EditEnvironment onClose={dialog.close} />}
      {edited && <EditEnvironment environment={edited} onClose={() => setEdited(undefined)} />}
      {deleted && <DeleteEnvironment environment={deleted} onClose={() => setDeleted(undefined)} />}
    </>
  )
}
