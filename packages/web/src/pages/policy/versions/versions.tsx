import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { usePlaceOf } from '../../../api/environments.ts'
import { read } from '../../../api/queries.ts'
import { useList } from '../../../api/use-list.ts'
import { Copy, shortDigest } from '../../../ui/actions/copy.tsx'
import { CopyFrame } from '../../../ui/actions/copy-frame.tsx'
import { Segments } from '../../../ui/fields/segments.tsx'
import { ListPart } from '../../../ui/lists/list-part.tsx'
import { Table } from '../../../ui/lists/table.tsx'
import { PageLink } from '../../../ui/page/page-link.tsx'
import { Panel } from '../../../ui/page/panel.tsx'
import { State } from '../../../ui/page/state.tsx'
import { changeClasses, Diff } from '../../../ui/texts/diff.tsx'
import { Name } from '../../../ui/texts/name.tsx'
import { Failed, Loading } from '../../../ui/texts/notes.tsx'
import { PolicyInWords } from '../../../ui/texts/policy-in-words.tsx'
import { ClockTime, RecordTime } from '../../../ui/texts/time.tsx'
import { documentOf, type Policy, textOf } from '../document/document.ts'
import css from '../policy.module.css'
import { hunksOf, summaryText } from '../rules/words.ts'
import { Restore } from './restore.tsx'

interface VersionsProps {
  policy: Policy
  hasDraft: boolean
}

/** Every save of the policy, newest first, and what the open one changed. */
export function Versions({ policy, hasDraft }: VersionsProps) {
  const { version } = useSearch({ from: '/inside/policies/$id' })
  const open = version !== undefined && /^[1-9]\d{0,8}$/.test(version) ? Number(version) : policy.version
  const list = useList(
    'listPolicyVersions',
    { path: { policy_id: policy.id }, query: { limit: 50 } },
    { keyOf: ({ version }) => version },
  )
  return (
    <div className={css.versions}>
      <Version policy={policy} version={open} hasDraft={hasDraft} />
      <Panel title="All versions">
        <ListPart list={list} empty={null}>
          {(rows) => (
            <Table
              label="Versions, newest first"
              rows={rows}
              idOf={({ version }) => String(version)}
              columns={[
                {
                  head: 'Version',
                  cell: ({ version }) => (
                    <PageLink to={`/policies/${policy.id}`} search={{ tab: 'versions', version: String(version) }}>
                      Version {version}
                    </PageLink>
                  ),
                },
                {
                  head: 'Effect',
                  cell: ({ change_class: is, version }) => version > 1 && <State {...changeClasses[is]} />,
                  narrow: 'top',
                },
                {
                  head: 'What changed',
                  cell: ({ change_summary: summary, restored_from: from, version }) =>
                    from !== undefined ? `Restored version ${from}` : version === 1 ? 'Created' : summaryText(summary),
                },
                { head: 'Saved', cell: ({ saved_at: at }) => <ClockTime at={at} />, narrow: 'end' },
                { head: 'By', cell: ({ saved_by: by }) => <Name>{by.display_name}</Name>, narrow: 'start' },
              ]}
            />
          )}
        </ListPart>
      </Panel>
    </div>
  )
}

function Version({ policy, version, hasDraft }: VersionsProps & { version: number }) {
  const path = { policy_id: policy.id, version }
  const placeOf = usePlaceOf()
  const own = useQuery(read('getPolicyVersion', { path }))
  const before = useQuery({
    ...read('getPolicyVersion', { path: { ...path, version: Math.max(1, version - 1) } }),
    enabled: version > 1,
  })
  const failed = own.error ?? (version > 1 ? before.error : null)
  if (failed) return <Failed error={failed} onRetry={() => void Promise.all([own.refetch(), before.refetch()])} />
  if (!own.data || (version > 1 && !before.data)) return <Loading rows={6} />
  const { snapshot, diff, saved_by: by, saved_at: at, content_hash: hash, change_class: is } = own.data
  const hunks =
    before.data && version > 1 ? hunksOf(documentOf(before.data.snapshot), documentOf(snapshot), placeOf, diff) : []
  return (
    <>
      <Panel
        title={`Version ${version}`}
        legend={version > 1 && <State {...changeClasses[is]} />}
        more={version < policy.version && <Restore policy={policy} version={version} hasDraft={hasDraft} />}
      >
        <div className={css.version}>
          <p className={css.facts}>
            <span>
              saved by <Name>{by.display_name}</Name> <RecordTime at={at} />
            </span>
            <Copy value={hash} shown={shortDigest(hash)} what="hash of the version" />
          </p>
          {version === 1 && <p className={css.note}>The policy was created with this version.</p>}
          {version > 1 && hunks.length === 0 && <p className={css.note}>Nothing changed in this version.</p>}
          {hunks.length > 0 && (
            <Diff hunks={hunks} beforeName={`Version ${version - 1}`} afterName={`Version ${version}`} />
          )}
        </div>
      </Panel>
      <WholeVersion version={version} snapshot={snapshot} />
    </>
  )
}

const views = [
  { value: 'words', text: 'Words' },
  { value: 'text', text: 'Text' },
] as const

interface WholeVersionProps {
  version: number
  snapshot: Schema<'PolicyVersionDetail'>['snapshot']
}

/** Everything that the version says, in words or as text. */
function WholeVersion({ version, snapshot }: WholeVersionProps) {
  const [view, setView] = useState<(typeof views)[number]['value']>('words')
  return (
    <Panel
      title={`All of version ${version}`}
      more={<Segments label="View of the version" value={view} onChange={setView} options={views} />}
    >
      {view === 'words' ? (
        <PolicyInWords snapshot={snapshot} />
      ) : (
        <CopyFrame what="text of the version" value={textOf(documentOf(snapshot))} />
      )}
    </Panel>
  )
}
