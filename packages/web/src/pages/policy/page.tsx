import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { Copy, shortId } from '../../ui/actions/copy.tsx'
import { leavesPage, useUnsent } from '../../ui/dialogs/unsent.ts'
import { Unread } from '../../ui/lists/unread.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { PolicyLink } from '../../ui/page/policy-link.tsx'
import { State } from '../../ui/page/state.tsx'
import { modeLooks } from '../../ui/page/states.ts'
import { Tabs } from '../../ui/page/tabs.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { counted, numberOf } from '../../words/words.ts'
import { ContentPart } from './content/content.tsx'
import type { Policy } from './document/document.ts'
import { type ReplayDays, shortReplay } from './document/replay.ts'
import { AfterSave } from './draft/after-save.tsx'
import { useImpact } from './draft/checks.ts'
import { Editor } from './draft/editor.tsx'
import { OtherVersion, SaveActions } from './draft/save.tsx'
import { useDraft } from './draft/use-draft.ts'
import css from './policy.module.css'
import { draftSentence } from './rules/words.ts'
import { Versions } from './versions/versions.tsx'

/** What is allowed, and what would a change do? */
export function PolicyPage() {
  const { id } = useParams({ from: '/inside/policies/$id' })
  const { data, error, refetch } = useQuery(
    read('getPolicy', { path: { policy_id: id }, query: { include: 'may,names' as never } }),
  )
  if (!data)
    return (
      <Unread
        name={`Policy ${shortId(id)}`}
        error={error}
        onRetry={() => void refetch()}
        all={{ to: '/policies', text: 'All policies' }}
      />
    )
  // A draft belongs to one policy.
  return <Shown key={id} policy={data} names={data.names ?? {}} />
}

function Shown({ policy, names }: { policy: Policy; names: Readonly<Record<string, string>> }) {
  const { tab } = useSearch({ from: '/inside/policies/$id' })
  const state = useDraft(policy)
  const [days, setDays] = useState<ReplayDays>(shortReplay)
  useUnsent({
    what: 'The draft of this policy is',
    verb: 'Discard the draft',
    isUnsent: () => state.draft !== undefined,
    isLost: leavesPage(),
  })
  const impact = useImpact(policy.id, state.draft, state.isValid, days)
  const place = policy.environment_id === null ? 'every environment' : names[policy.environment_id]
  const to = `/policies/${policy.id}`
  const isVersions = tab === 'versions'
  const isContent = tab === 'content'
  const replay = state.isValid && !impact.isPlaceholderData ? impact.data?.replay : undefined
  return (
    <>
      <PageHead
        name={policy.name}
        history={{ resource_type: 'policy', resource_id: policy.id }}
        states={
          <>
            {place && <Name>{place}</Name>}
            <State {...modeLooks[policy.override_mode]} />
            <Copy what="id of the policy" value={policy.id} shown={shortId(policy.id)} />
            {state.changes > 0 && (
              <span className={css.badge}>draft, {counted(state.changes, '# change', '# changes')}</span>
            )}
          </>
        }
        actions={<SaveActions policy={policy} state={state} impact={impact} showsFaults={!isVersions && !isContent} />}
        sentence={
          <>
            <PageLink to="/agents" search={{ policy_id: policy.id }}>
              {counted(policy.agents, '# agent uses', '# agents use', 10_000)} this policy
            </PageLink>
            , now at{' '}
            <PolicyLink id={policy.id} version={policy.version}>
              version {policy.version}
            </PolicyLink>
            . {replay && draftSentence(replay)}
          </>
        }
      />
      <OtherVersion policyId={policy.id} state={state} />
      {state.saved === policy.version && <AfterSave policy={policy} />}
      <Tabs
        label={`Views of ${policy.name}`}
        tabs={[
          { name: 'Rules', to, count: numberOf(policy.rules.length), isOpen: !isVersions && !isContent },
          { name: 'Content', to, search: { tab: 'content' }, isOpen: isContent },
          { name: 'Versions', to, search: { tab: 'versions' }, count: numberOf(policy.version), isOpen: isVersions },
          {
            name: 'Agents',
            to: '/agents',
            search: { policy_id: policy.id },
            count: numberOf(policy.agents, 10_000),
            isOpen: false,
          },
        ]}
      />
      {isContent ? (
        <ContentPart policy={policy} />
      ) : isVersions ? (
        <Versions policy={policy} hasDraft={state.draft !== undefined} />
      ) : (
        <Editor {...{ policy, state, impact, days }} onDays={setDays} />
      )}
    </>
  )
}
