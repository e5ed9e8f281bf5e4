import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { anyRow, useList } from '../../api/use-list.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { FilterBar, NoMatch } from '../../ui/filters/filter-bar.tsx'
import { activeOf, type Filter } from '../../ui/filters/filters.ts'
import { useEnvironmentFilter } from '../../ui/filters/use-environment-filter.ts'
import { useFilters } from '../../ui/filters/use-filters.ts'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { PolicyLink } from '../../ui/page/policy-link.tsx'
import { State } from '../../ui/page/state.tsx'
import { modeLooks } from '../../ui/page/states.ts'
import { Name } from '../../ui/texts/name.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { counted, numberOf } from '../../words/words.ts'
import { CreatePolicy } from './create-policy.tsx'

const sorts = [
  { value: 'created_at', text: 'newest first' },
  { value: 'updated_at', text: 'last saved first' },
  { value: 'name', text: 'by name' },
] as const

/** What is allowed, and by which policy? */
export function PoliciesPage() {
  const search = useSearch({ from: '/inside/policies' })
  const { change, clear } = useFilters('/policies')
  const sort = sorts.find(({ value }) => value === search.sort)?.value ?? 'created_at'
  const { search: text, environment_id: environment } = search
  const query = {
    sort,
    include: 'names',
    limit: 50,
    ...(text && { search: text }),
    ...(environment && { environment_id: environment }),
  }
  const list = useList('listPolicies', { query })
  const { name, filters } = useFilterChips()
  const active = activeOf(filters, name)
  const because = whyNot(useSession(), 'createPolicy')
  const dialog = useDialog({ create: because })
  const create = (
    <Button look="act" onPress={() => dialog.open('create')} disabledBecause={because}>
      Create policy
    </Button>
  )
  return (
    <>
      <PageHead
        name="Policies"
        actions={create}
        sentence={list.total !== undefined && <PoliciesSentence total={list.total} isFiltered={active.length > 0} />}
      />
      <FilterBar search={name} filters={filters} onChange={change} onClear={clear} />
      <ListPart
        list={list}
        empty={
          active.length > 0 ? (
            <NoMatch
              what="policy"
              filters={active}
              onChange={change}
              onClear={clear}
              without={(name) => anyRow('listPolicies', { query: query }, [name])}
            />
          ) : (
            <Empty action={create}>
              A policy is a list of rules that decide the calls of agents. An agent without a policy is denied every
              call.
            </Empty>
          )
        }
      >
        {(rows) => (
          <Table
            label={`Policies, ${sorts.find(({ value }) => value === sort)?.text}`}
            rows={rows}
            idOf={({ id }) => id}
            columns={[
              {
                head: 'Name',
                cell: ({ id, name }) => (
                  <PolicyLink id={id} version="current">
                    <Name>{name}</Name>
                  </PolicyLink>
                ),
              },
              {
                head: 'For',
                cell: ({ environment_id: id }) =>
                  id === null ? 'every environment' : <Name>{list.names[id] ?? '–'}</Name>,
                narrow: 'start',
              },
              {
                head: 'Enforcement',
                cell: ({ override_mode: mode }) => <State {...modeLooks[mode]} />,
                narrow: 'top',
              },
              {
                head: 'Agents',
                isNumber: true,
                cell: ({ id, agents }) => (
                  <PageLink to="/agents" search={{ policy_id: id }}>
                    {numberOf(agents, 10_000)}
                  </PageLink>
                ),
              },
              {
                head: 'Version',
                isNumber: true,
                cell: ({ id, version }) => (
                  <PolicyLink id={id} version={version}>
                    {version}
                  </PolicyLink>
                ),
              },
              { head: 'Last saved', cell: ({ updated_at: at }) => <Time at={at} />, narrow: 'end' },
              { head: 'Description', cell: ({ description }) => <Name>{description || '–'}</Name> },
            ]}
          />
        )}
      </ListPart>
      {dialog.name === 'create' && <CreatePolicy onClose={dialog.close} />}
    </>
  )
}

function PoliciesSentence({ total, isFiltered }: { total: number; isFiltered: boolean }) {
  const { data } = useQuery(read('getOverview', { query: { include: 'names' } }))
  const bare = data?.agents.discovered ?? 0
  const text = isFiltered
    ? counted(total, '# policy matches', '# policies match')
    : total === 0
      ? 'There is no policy yet'
      : counted(total, '# policy decides what agents may do', '# policies decide what agents may do')
  return (
    <Sentence
      waiting={[{ text }]}
      wrong={
        bare > 0
          ? [
              {
                text: counted(bare, '# agent has no policy', '# agents have no policy', 10_000),
                to: '/agents',
                search: { governance_state: 'discovered' },
                tone: 'hold',
              },
            ]
          : []
      }
    />
  )
}

function useFilterChips() {
  const { search, environment_id: environment, sort } = useSearch({ from: '/inside/policies' })
  const place = useEnvironmentFilter(environment)
  const [usual, ...others] = sorts
  const filters: Filter[] = [
    place,
    { name: 'sort', label: 'Order', value: sort, without: usual.text, options: others, isOrder: true },
  ]
  return { name: { label: 'Search names of policies and rules', name: 'search', value: search }, filters }
}
