import type { Answer, Input } from '@mandate/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { read } from '../../api/queries.ts'
import { SegmentedBar } from '../../ui/charts/segmented-bar.tsx'
import { Field, FieldError, SelectField } from '../../ui/fields/field.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { effects } from '../../ui/page/states.ts'
import { Name } from '../../ui/texts/name.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { errorOfField } from '../../words/field-errors.ts'
import { counted, numberOf } from '../../words/words.ts'
import css from './settings.module.css'

type Row = Answer<'getUsage'>['data'][number]
type Counts = Answer<'getUsage'>['total']
type Group = NonNullable<NonNullable<Input<'getUsage'>['query']>['group_by']>

const groups: Record<Group, string> = {
  day: 'Day',
  agent: 'Agent',
  policy: 'Policy',
  tool: 'Tool',
  environment: 'Environment',
}
const options = (Object.keys(groups) as Group[]).map((value) => ({ value, text: groups[value] }))
const kinds = ['allow', 'require_approval', 'deny'] as const

const sumOf = (counts: Counts) => kinds.reduce((sum, kind) => sum + counts[kind], 0)

/** How many calls were governed, and in which days, agents, policies, tools or environments? */
export function Usage() {
  const { from, to, by } = useSearch({ from: '/inside/settings' })
  const navigate = useNavigate({ from: '/settings' })
  const group = by !== undefined && by in groups ? (by as Group) : 'day'
  const { data, error, refetch } = useQuery({
    ...read('getUsage', { query: { group_by: group, ...(from && { from }), ...(to && { to }) } }),
    placeholderData: keepPreviousData,
  })
  // A date is typed digit by digit, so *Back* skips the digits.
  const typed = useRef('')
  const choose = (name: 'from' | 'to' | 'by') => (value: string) => {
    const replace = name !== 'by' && typed.current === name
    typed.current = name
    void navigate({ search: (before) => ({ ...before, [name]: value || undefined }), replace })
  }
  const leave = () => {
    typed.current = ''
  }
  const { of, rest } = errorOfField(error, ['from', 'to'])
  return (
    <Panel title="Governed calls">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the next change of the field is a step of its own for *Back* */}
      <div className={css.row} onBlur={leave}>
        <Field label="From" type="date" value={from ?? data?.from ?? ''} onChange={choose('from')} error={of.from} />
        <Field label="To" type="date" value={to ?? data?.to ?? ''} onChange={choose('to')} error={of.to} />
        <SelectField label="Count by" value={group} onChange={choose('by')} options={options} />
      </div>
      <FieldError text={data && rest} />
      {rest !== undefined && error && !data && <Failed error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={8} />}
      {data && <Counted usage={data} group={group} />}
    </Panel>
  )
}

function Counted({ usage: { total, data, from, to }, group }: { usage: Answer<'getUsage'>; group: Group }) {
  return (
    <>
      <p className={css.note}>
        {counted(sumOf(total), '# call was governed', '# calls were governed')} from {from} to {to}, both days included.
        Days are those of UTC.
      </p>
      <SegmentedBar
        parts={kinds
          .filter((kind) => total[kind] > 0)
          .map((kind) => ({ key: kind, value: total[kind], tone: effects[kind].tone }))}
        label={kinds.map((kind) => `${effects[kind].word} ${numberOf(total[kind])}`).join(', ')}
      />
      <ul className={css.legend}>
        {kinds.map((kind) => (
          <li key={kind}>
            <State {...effects[kind]} /> {numberOf(total[kind])}
          </li>
        ))}
      </ul>
      {data.length > 0 && (
        <Table
          label={`Governed calls by ${groups[group].toLowerCase()}`}
          rows={data}
          idOf={({ key }) => key}
          columns={[
            { head: groups[group], cell: (row) => <NameOf row={row} group={group} /> },
            { head: 'Allowed', isNumber: true, cell: ({ allow }) => numberOf(allow) },
            { head: 'Held', isNumber: true, cell: ({ require_approval: held }) => numberOf(held) },
            { head: 'Denied', isNumber: true, cell: ({ deny }) => numberOf(deny) },
            { head: 'All', isNumber: true, cell: (row) => numberOf(sumOf(row)) },
          ]}
        />
      )}
    </>
  )
}

const pages: Partial<Record<Group, string>> = { agent: '/agents', policy: '/policies' }

function NameOf({ row: { key, name }, group }: { row: Row; group: Group }) {
  if (key === 'other') return 'All others'
  if (key === 'none') return group === 'policy' ? 'No policy' : 'None'
  const page = pages[group]
  const text = <Name className={group === 'tool' ? 'mono' : undefined}>{name ?? 'deleted, or not yours to see'}</Name>
  return page && name !== null ? <PageLink to={`${page}/${key}`}>{text}</PageLink> : text
}
