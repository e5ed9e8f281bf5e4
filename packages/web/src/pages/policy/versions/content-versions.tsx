import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { read } from '../../../api/queries.ts'
import { useList } from '../../../api/use-list.ts'
import { ListPart } from '../../../ui/lists/list-part.tsx'
import { Table } from '../../../ui/lists/table.tsx'
import { PageLink } from '../../../ui/page/page-link.tsx'
import { Panel } from '../../../ui/page/panel.tsx'
import { Name } from '../../../ui/texts/name.tsx'
import { Empty, Failed, Loading } from '../../../ui/texts/notes.tsx'
import { ClockTime, RecordTime } from '../../../ui/texts/time.tsx'
import { timeZone } from '../../../words/times.ts'
import { actionText, bindingName, setSummary } from '../content/content-words.ts'
import type { Policy } from '../document/document.ts'
import css from '../policy.module.css'

interface BindingsVersionsProps {
  policy: Policy
  patterns: readonly Schema<'ContentPattern'>[]
}

/** Every save of the content bindings, newest first, and the bindings of the version that the address names. */
export function BindingsVersions({ policy, patterns }: BindingsVersionsProps) {
  const { version } = useSearch({ from: '/inside/policies/$id' })
  const list = useList(
    'listContentBindingsVersions',
    { path: { policy_id: policy.id }, query: { limit: 50 } },
    { keyOf: ({ version }) => version },
  )
  return (
    <>
      {version !== undefined && /^[1-9]\d{0,8}$/.test(version) && (
        <BindingsVersion policy={policy} patterns={patterns} version={Number(version)} />
      )}
      <Panel title="Versions of the bindings">
        <ListPart list={list} empty={<Empty>No bindings were ever saved.</Empty>}>
          {(versions) => (
            <Table
              label="Versions of the bindings, newest first"
              rows={versions}
              idOf={({ version }) => String(version)}
              columns={[
                {
                  head: 'Version',
                  cell: ({ version }) => (
                    <PageLink to={`/policies/${policy.id}`} search={{ tab: 'content', version: String(version) }}>
                      Version {version}
                    </PageLink>
                  ),
                },
                { head: 'What changed', cell: ({ diff }) => setSummary(diff) },
                { head: `Saved, ${timeZone()}`, cell: ({ saved_at: at }) => <ClockTime at={at} /> },
                { head: 'By', cell: ({ saved_by: by }) => <Name>{by.display_name}</Name> },
              ]}
            />
          )}
        </ListPart>
      </Panel>
    </>
  )
}

/** The bindings of one version. Patterns that were deleted since then still have their names. */
function BindingsVersion({ policy, patterns, version }: BindingsVersionsProps & { version: number }) {
  const { data, error, refetch } = useQuery(
    read('getContentBindingsVersion', { path: { policy_id: policy.id, version } }),
  )
  if (error) return <Failed error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading rows={3} />
  const named = [...data.patterns, ...patterns]
  return (
    <Panel
      title={`Version ${version} of the bindings`}
      more={
        <PageLink to={`/policies/${policy.id}`} search={{ tab: 'content' }}>
          Close
        </PageLink>
      }
    >
      <p className={css.facts}>
        <span>
          saved by <Name>{data.saved_by.display_name}</Name> <RecordTime at={data.saved_at} />
        </span>
      </p>
      {data.bindings.length === 0 ? (
        <Empty>This version looks for nothing.</Empty>
      ) : (
        <Table
          label={`Bindings of version ${version}`}
          rows={data.bindings.map((binding, index) => ({ binding, index }))}
          idOf={({ index }) => String(index)}
          columns={[
            { head: 'Pattern', cell: ({ binding }) => <Name>{bindingName(binding, named)}</Name> },
            { head: 'In', cell: ({ binding }) => binding.on },
            { head: 'Action', cell: ({ binding }) => actionText(binding) },
          ]}
        />
      )}
    </Panel>
  )
}
