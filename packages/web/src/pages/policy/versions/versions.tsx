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
import { Panel } from '../../../ui/page/panel.tsx'
import { PolicyLink } from '../../../ui/page/policy-link.tsx'
import { State } from '../../../ui/page/state.tsx'
import { changeClasses, Diff, type DiffProps } from '../../../ui/texts/diff.tsx'
import { Name } from '../../../ui/texts/name.tsx'
import { Failed, Loading } from '../../../ui/texts/notes.tsx'
import { PolicyInWords } from '../../../ui/texts/policy-in-words.tsx'
import { ClockTime, RecordTime } from '../../../ui/texts/time.tsx'
import { hunksOf as wordHunksOf } from '../../../words/rule-text.ts'
import { timeZone } from '../../../words/times.ts'
import { documentOf, type Policy, textOf } from '../document/document.ts'
import css from '../policy.module.css'
import { hunksOf, summaryText } from '../rules/words.ts'
import { ApprovalsNote, ApprovedFor, useApprovals, WhoApproved } from './approved-for.tsx'
import { Restore } from './restore.tsx'

interface VersionsProps {
  policy: Policy
  hasDraft: boolean
}

/** Every save of the policy, newest first, and what the open one changed. */
export function Versions({ policy, hasDraft }: VersionsProps) {
  const { version, rule } = useSearch({ from: '/inside/policies/$id' })
  const open = version !== undefined && /^[1-9]\d{0,8}$/.test(version) ? Number(version) : policy.version
  const list = useList(
    'listPolicyVersions',
    { path: { policy_id: policy.id }, query: { limit: 50 } },
    { keyOf: ({ version }) => version },
  )
  const { approvals, isPart } = useApprovals(policy.id)
  const approvalsOf = (wanted: number) => approvals.filter(({ version }) => version === wanted)
  return (
    <div className={css.versions}>
      <Version policy={policy} version={open} hasDraft={hasDraft} rule={rule} approvals={approvalsOf(open)} />
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
                    <PolicyLink id={policy.id} version={version}>
                      Version {version}
                    </PolicyLink>
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
                    from !== undefined ? (
                      <>
                        Restored{' '}
                        <PolicyLink id={policy.id} version={from}>
                          version {from}
                        </PolicyLink>
                      </>
                    ) : version === 1 ? (
                      'Created'
                    ) : (
                      summaryText(summary)
                    ),
                },
                { head: 'Approved now for', cell: ({ version }) => <ApprovedFor approvals={approvalsOf(version)} /> },
                { head: `Saved, ${timeZone()}`, cell: ({ saved_at: at }) => <ClockTime at={at} />, narrow: 'end' },
                { head: 'By', cell: ({ saved_by: by }) => <Name>{by.display_name}</Name>, narrow: 'start' },
              ]}
            />
          )}
        </ListPart>
        <ApprovalsNote isPart={isPart} />
      </Panel>
    </div>
  )
}

interface VersionProps extends VersionsProps {
  version: number
  /** Id of the rule that a link marks. */
  rule: string | undefined
  approvals: ReturnType<typeof useApprovals>['approvals']
}

function Version({ policy, version, hasDraft, rule, approvals }: VersionProps) {
  const own = useQuery(read('getPolicyVersion', { path: { policy_id: policy.id, version } }))
  const [view, setView] = useState<View>('words')
  if (own.error) return <Failed error={own.error} onRetry={() => void own.refetch()} />
  if (!own.data) return <Loading rows={6} />
  const { snapshot, saved_by: by, saved_at: at, content_hash: hash, change_class: is } = own.data
  return (
    <>
      <Panel
        title={`Version ${version}`}
        legend={version > 1 && <State {...changeClasses[is]} />}
        more={
          <>
            {version > 1 && <Segments label="View of the changes" value={view} onChange={setView} options={views} />}
            {version < policy.version && <Restore policy={policy} version={version} hasDraft={hasDraft} />}
          </>
        }
      >
        <div className={css.version}>
          <p className={css.facts}>
            <span>
              saved by <Name>{by.display_name}</Name> <RecordTime at={at} />
            </span>
            <Copy value={hash} shown={shortDigest(hash)} what="hash of the version" />
          </p>
          <WhoApproved approvals={approvals} />
          {version === 1 ? (
            <p className={css.note}>The policy was created with this version.</p>
          ) : view === 'words' ? (
            <ChangesInWords detail={own.data} />
          ) : (
            <ChangesAsText policyId={policy.id} detail={own.data} />
          )}
        </div>
      </Panel>
      <WholeVersion key={version} version={version} snapshot={snapshot} rule={rule} />
    </>
  )
}

type Detail = Schema<'PolicyVersionDetail'>

/** What the version changed in the one before, as reviews and agents show it. */
function ChangesInWords({ detail }: { detail: Detail }) {
  const placeOf = usePlaceOf()
  return <Changes version={detail.version} hunks={wordHunksOf(detail, placeOf)} whole={detail.change_class} />
}

/** The same changes as lines of JSON. */
function ChangesAsText({ policyId, detail }: { policyId: string; detail: Detail }) {
  const placeOf = usePlaceOf()
  const path = { policy_id: policyId, version: detail.version - 1 }
  const { data: before, error, refetch } = useQuery(read('getPolicyVersion', { path }))
  if (error) return <Failed error={error} onRetry={() => void refetch()} />
  if (!before) return <Loading rows={4} />
  const hunks = hunksOf(documentOf(before.snapshot), documentOf(detail.snapshot), placeOf, detail.diff)
  return <Changes version={detail.version} hunks={hunks} whole={detail.change_class} />
}

function Changes({ version, hunks, whole }: { version: number } & Pick<DiffProps, 'hunks' | 'whole'>) {
  if (hunks.length === 0) return <p className={css.note}>Nothing changed in this version.</p>
  return <Diff hunks={hunks} whole={whole} beforeName={`Version ${version - 1}`} afterName={`Version ${version}`} />
}

const views = [
  { value: 'words', text: 'Words' },
  { value: 'text', text: 'Text' },
] as const
type View = (typeof views)[number]['value']

interface WholeVersionProps {
  version: number
  snapshot: Schema<'PolicyVersionDetail'>['snapshot']
  /** Id of the rule that a link marks. */
  rule: string | undefined
}

/** Everything that the version says, in words or as text. */
function WholeVersion({ version, snapshot, rule }: WholeVersionProps) {
  const [view, setView] = useState<View>('words')
  return (
    <Panel
      title={`All of version ${version}`}
      more={<Segments label="View of the version" value={view} onChange={setView} options={views} />}
    >
      {view === 'words' ? (
        <PolicyInWords snapshot={snapshot} marked={rule} />
      ) : (
        <CopyFrame what="text of the version" value={textOf(documentOf(snapshot))} />
      )}
    </Panel>
  )
}
