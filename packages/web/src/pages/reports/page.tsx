import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { useList } from '../../api/use-list.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { EnvironmentField, missingEnvironment } from '../../ui/fields/environment-field.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { errorOfField } from '../../words/field-errors.ts'
import { counted } from '../../words/words.ts'
import { stateOf } from './words.ts'

/** What was true of agents and policies, and when? */
export function ReportsPage() {
  const because = whyNot(useSession(), 'createReport')
  const dialog = useDialog({ create: because })
  const list = useList('listReports', { query: { include: 'may,names', limit: 100 } })
  const { total, names } = list
  return (
    <>
      <PageHead
        name="Reports"
        sentence={
          total !== undefined && (
            <Sentence
              fine={
                total === 0 ? 'There is no report yet.' : counted(total, 'There is # report.', 'There are # reports.')
              }
            />
          )
        }
        actions={
          <Button look="act" disabledBecause={because} onPress={() => dialog.open('create')}>
            Create report
          </Button>
        }
      />
      <ListPart
        list={list}
        empty={
          <Empty>
            A report keeps what was true at one moment: agents, policies, approvals, drift, coverage and findings. It
            also has what people and edges decided in a period. It can be printed, and shared by a link.
          </Empty>
        }
      >
        {(rows) => (
          <Table
            label="Reports, newest first"
            rows={rows}
            idOf={({ id }) => id}
            columns={[
              {
                head: 'Title',
                cell: ({ id, title }) => (
                  <PageLink to={`/reports/${id}`}>
                    <Name>{title}</Name>
                  </PageLink>
                ),
              },
              { head: 'State', cell: (report) => <State {...stateOf(report)} />, narrow: 'start' },
              {
                head: 'About',
                cell: ({ environment_id: id }) =>
                  id === null ? 'the organization' : <Name>{names[id] ?? 'one environment'}</Name>,
              },
              {
                head: 'Created by',
                cell: ({ generated_by: id }) => <Name>{(id && names[id]) || 'a removed person'}</Name>,
              },
              { head: 'Created', cell: ({ created_at }) => <Time at={created_at} />, narrow: 'end' },
            ]}
          />
        )}
      </ListPart>
      {dialog.name === 'create' && <CreateReport onClose={dialog.close} />}
    </>
  )
}

function CreateReport({ onClose }: { onClose: () => void }) {
  const session = useSession()
  const navigate = useNavigate()
  const [title, setTitle] = useState('')
  const [environment, setEnvironment] = useState('')
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const create = useWrite('createReport')
  const submit = async () => {
    const { id } = await create.mutateAsync({
      body: {
        ...(title.trim() && { title }),
        environment_id: environment || null,
        ...(from && { from }),
        ...(to && { to }),
      },
    })
    await navigate({ to: '/reports/$id', params: { id }, replace: true })
  }
  const { of, rest } = errorOfField(create.error, ['title', 'environment_id', 'from', 'to'])
  const notEverything = whyNot(session, 'createReport:organization')
  return (
    <FormDialog
      title="Create a report"
      verb="Create report"
      act={submit}
      isBusy={create.isPending}
      fault={rest}
      missing={notEverything && missingEnvironment(environment)}
      onClose={onClose}
    >
      <EnvironmentField
        label="About"
        value={environment}
        onChange={setEnvironment}
        error={of.environment_id}
        {...(notEverything === undefined && { everywhere: 'The whole organization' })}
        hint={notEverything}
      />
      <Field
        label="From"
        type="date"
        value={from}
        onChange={setFrom}
        error={of.from}
        hint="First day of the period, in UTC. Without it the period has 30 days."
      />
      <Field
        label="To"
        type="date"
        value={to}
        onChange={setTo}
        error={of.to}
        hint="Last day of the period, in UTC. Without it the period ends now."
      />
      <Field
        label="Title"
        value={title}
        onChange={setTitle}
        error={of.title}
        maxLength={200}
        hint="Without a title the report is named after what it is about."
        autoFocus
      />
    </FormDialog>
  )
}
