import { isUuid } from '@mandate/contract/fields/is-uuid'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { withHeartbeats } from '../../live/heartbeats.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { FilterBar } from '../../ui/filters/filter-bar.tsx'
import { activeOf } from '../../ui/filters/filters.ts'
import { useFilters } from '../../ui/filters/use-filters.ts'
import type { Listed } from '../../ui/lists/endless-pages.ts'
import type { Picked } from '../../ui/lists/picks.ts'
import { CallsByAgent } from '../../ui/page/calls-by-agent.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { Tabs } from '../../ui/page/tabs.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { numberOf, onlyGranted } from '../../words/words.ts'
import { AgentsBar } from './agents-bar.tsx'
import { filtersOf, shownFilters } from './filters.ts'
import { AgentsList } from './list.tsx'
import { type AgentSearch, facetsQuery } from './queries.ts'
import { RegisterAgent } from './register-agent.tsx'
import { clausesOf } from './sentence.tsx'
import { useSearchedFilters } from './use-searched-filters.ts'

const views = [
  { state: undefined, key: 'governed', name: 'Governed' },
  { state: 'discovered', key: 'discovered', name: 'Discovery queue' },
  { state: 'suppressed', key: 'suppressed', name: 'Suppressed' },
]

/** Which agents are there, and which should worry me? */
export function AgentsPage() {
  const { dialog: _, ...search }: AgentSearch = useSearch({ from: '/inside/agents' })
  const all = useQuery({ ...facetsQuery({}), ...withHeartbeats })
  const { data: facets } = useQuery({ ...facetsQuery(search), ...withHeartbeats })
  const { policy_id: policyId = '' } = search
  const { data: policy } = useQuery({
    ...read('getPolicy', { path: { policy_id: policyId } }),
    enabled: isUuid(policyId),
  })
  const [selected, setSelected] = useState<Picked<Listed>>(new Map())
  const [rows, setRows] = useState<readonly Listed[]>([])
  const session = useSession()
  const { change, clear } = useFilters('/agents', ['governance_state'])
  const { owner_user_id: ownerId = '' } = search
  const { data: owner } = useQuery({
    ...read('getUser', { path: { user_id: ownerId } }),
    // The facets name the most frequent owners, also those who were removed.
    enabled: isUuid(ownerId) && all.data?.owner_user_id.every(({ key }) => key !== ownerId) === true,
  })
  const names = { policy_id: policy?.name, owner_user_id: owner?.display_name || owner?.email }
  const filters = useSearchedFilters(filtersOf(search, facets, all.data, names))
  const name = { name: 'search', label: 'Name', value: search.search }
  const because = whyNot(session, 'createAgent')
  const dialog = useDialog({ register: because })
  const register = () => dialog.open('register')
  const clauses = all.data && clausesOf(all.data, onlyGranted(session.user))
  return (
    <>
      <PageHead
        name="Agents"
        actions={
          <>
            <CallsByAgent />
            <Button look="act" onPress={register} {...(because !== undefined && { disabledBecause: because })}>
              Register agent
            </Button>
          </>
        }
        sentence={clauses && <Sentence {...clauses} />}
        {...(clauses && { firstClause: clauses.wrong[0]?.text ?? clauses.fine ?? '' })}
      />
      <Tabs
        label="Agents"
        tabs={views.map(({ state, key, name }) => {
          const facet = all.data?.governance_state.find((value) => value.key === key)
          return {
            name,
            to: '/agents',
            search: { governance_state: state },
            count: all.data && numberOf(facet?.count ?? 0, 10_000),
            isOpen: search.governance_state === state || (key === 'governed' && search.governance_state === key),
          }
        })}
      />
      <FilterBar search={name} filters={filters} shown={shownFilters} onChange={change} />
      {selected.size > 0 && <AgentsBar selected={selected} rows={rows} onDone={setSelected} />}
      <AgentsList
        search={search}
        active={activeOf(filters, name)}
        selected={selected}
        onSelect={setSelected}
        rows={rows}
        onRows={setRows}
        onChange={change}
        onClear={clear}
        onRegister={because === undefined ? register : undefined}
      />
      {dialog.name === 'register' && <RegisterAgent onClose={dialog.close} />}
    </>
  )
}
