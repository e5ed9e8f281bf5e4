import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { anyRow, useList } from '../../api/use-list.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { useTextNow } from '../../ui/browser/use-now.ts'
import { tell } from '../../ui/dialogs/toast.tsx'
import { FilterBar, NoMatch } from '../../ui/filters/filter-bar.tsx'
import { activeOf } from '../../ui/filters/filters.ts'
import { useFilters } from '../../ui/filters/use-filters.ts'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Tabs } from '../../ui/page/tabs.tsx'
import { isolated } from '../../ui/texts/direction/isolated.ts'
import { Phrase } from '../../ui/texts/direction/phrase.tsx'
import { Empty, Failed } from '../../ui/texts/notes.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { startOfDay } from '../approvals/queries.ts'
import { PeriodDialog } from '../decisions/period-dialog.tsx'
import css from './audit.module.css'
import { CheckBox } from './check/check.tsx'
import { useCheck } from './check/use-check.ts'
import { Entries } from './entries.tsx'
import { Export } from './export.tsx'
import { gapReason } from './gaps.ts'
import { HistoryOfPerson } from './history-of-person.tsx'
import { ProofBox } from './proof.tsx'
import { useChips } from './use-chips.ts'
import { useObjectName } from './use-object-name.ts'
import { ownPeriod, timesOf, trailClause, verificationClause, waitingClause } from './words.ts'

/** While a verification runs, the page asks for its result at this interval, and stops after the longest time. */
const pollMs = 1000
const longestMs = 10 * 60_000

interface Asked {
  /** The time of the verification before. */
  last: string | undefined
  until: number
}

/** What happened, who did it, and can the record be trusted? */
export function AuditPage() {
  const session = useSession()
  const { user } = session
  const search = useSearch({ from: '/inside/audit' })
  const mayVerify = whyNot(session, 'startAuditVerification') === undefined
  const [asked, setAsked] = useState<Asked>()
  const [isExporting, setExporting] = useState(false)
  const {
    data: proof,
    error: unproven,
    refetch,
  } = useQuery({
    ...read('getAuditProof'),
    enabled: mayVerify,
    // A job verifies the trail. The proof shows its result.
    refetchInterval: ({ state: { data } }) =>
      asked && data?.last_verification?.at === asked.last && Date.now() < asked.until ? pollMs : false,
  })
  const verify = useWrite('startAuditVerification')
  const { tab, since, from, to, ...filters } = search
  const times = timesOf({ since, from, to }, Date.parse(useTextNow(startOfDay)))
  const query = { ...filters, ...(tab !== 'all' && { source: 'control_plane' as const }), ...times }
  const list = useList('listAuditEntries', { query: { ...query, include: 'names', limit: 50 } })
  const { change, clear } = useFilters('/audit', ['tab'])
  const navigate = useNavigate()
  const go = (period: Record<string, string | undefined>) =>
    void navigate({ to: '/audit', search: { ...search, since: undefined, from: undefined, to: undefined, ...period } })
  const [asksPeriod, setAsksPeriod] = useState(false)
  const onFilter = (name: string, value: string | undefined) => {
    if (name !== 'since') return change(name, value)
    if (value === ownPeriod) return setAsksPeriod(true)
    go({ since: value })
  }
  const { state: checked, check, isRunning } = useCheck(session.tenant.id, JSON.stringify(query))
  const names = { ...namesIn(list.rows), ...list.names }
  const chips = useChips({ ...names, ...useObjectName(search, list.rows && !list.isOld ? names : undefined) })
  const active = activeOf(chips)
  const words = active.map((filter) => isolated(filter.words))
  return (
    <>
      <PageHead
        name="Audit trail"
        sentence={
          !mayVerify ? (
            <Sentence fine="You see the entries about the agents and policies that you see." />
          ) : (
            (proof && <ProofSentence proof={proof} />) ||
            (unproven && 'It could not be read whether the trail is intact.')
          )
        }
        actions={
          <>
            <Button onPress={() => setExporting(true)}>Export</Button>
            <Button
              disabledBecause={
                !list.rows || list.isOld
                  ? 'The list is not read yet.'
                  : list.rows.length === 0
                    ? 'The list has no entry to check.'
                    : undefined
              }
              reason="hidden"
              isBusy={isRunning}
              onPress={() => void check(list.rows ?? [])}
            >
              Check in this browser
            </Button>
            <Button
              look="act"
              glyph="seal"
              disabledBecause={whyNot(session, 'startAuditVerification')}
              isBusy={verify.isPending}
              onPress={() =>
                verify.mutate(
                  {},
                  {
                    onSuccess: () => {
                      setAsked({ last: proof?.last_verification?.at, until: Date.now() + longestMs })
                      tell('The verification has started. The proof shows its result.')
                    },
                    onError: ({ message }) => tell(message),
                  },
                )
              }
            >
              Verify
            </Button>
          </>
        }
      />
      {unproven && !proof && <Failed error={unproven} onRetry={() => void refetch()} />}
      {proof && <ProofBox proof={proof} />}
      {checked && (
        <CheckBox state={checked} names={list.names} hasSeals={mayVerify} onRetry={() => void check(list.rows ?? [])} />
      )}
      <Tabs
        label="Entries"
        tabs={[
          { name: 'Governance Changes', to: '/audit', search: { ...search, tab: undefined }, isOpen: tab !== 'all' },
          { name: 'All', to: '/audit', search: { ...search, tab: 'all' }, isOpen: tab === 'all' },
        ]}
      />
      <FilterBar filters={chips} onChange={onFilter} onClear={clear} />
      <HistoryOfPerson search={search} />
      <p className="on-paper">
        <Phrase>{active.length > 0 ? `Entries with ${words.join(', ')}.` : 'Entries without a filter.'}</Phrase>
      </p>
      {filters.agent_id && <NotOfAgent agentId={filters.agent_id} />}
      <ListPart
        list={list}
        empty={
          active.length > 0 ? (
            <NoMatch
              what="entry"
              filters={active}
              onChange={onFilter}
              onClear={clear}
              without={(name) =>
                anyRow('listAuditEntries', { query: query }, name === 'since' ? ['from', 'to'] : [name])
              }
            />
          ) : (
            <Empty>Each change is an entry here: who, what and when. Nothing has changed so far.</Empty>
          )
        }
      >
        {(entries) => (
          <Entries
            entries={entries}
            names={list.names}
            of={JSON.stringify([query, list.isOld])}
            whyGaps={gapReason({
              isAll: tab === 'all',
              hasFilters: active.length > 0,
              seesEverything: mayVerify && user?.access_scope !== 'scoped',
            })}
          />
        )}
      </ListPart>
      {asksPeriod && (
        <PeriodDialog from={times.from} to={times.to} onChange={go} onClose={() => setAsksPeriod(false)} />
      )}
      {isExporting && (
        <Export
          query={query}
          list={[`The tab ${tab === 'all' ? 'All' : 'Governance Changes'}`, ...words].join(', ')}
          hasFilters={active.length > 0}
          isVerifiable={mayVerify}
          onClose={() => setExporting(false)}
        />
      )}
    </>
  )
}

/** The names of the resources and the actors of entries, by id. */
const namesIn = (entries: readonly Schema<'AuditEntry'>[] = []): Record<string, string> =>
  Object.fromEntries(
    entries.flatMap(({ resource, actor }) =>
      [
        [actor.user_id, actor.name || actor.email],
        [resource.id, resource.name],
      ].filter(([id, name]) => id !== null && name !== ''),
    ),
  )

/** What the filter by an agent leaves out, although it concerned the agent. */
const NotOfAgent = ({ agentId }: { agentId: string }) => (
  <p className={css.note}>
    Not here: freezes of the agent’s environment and of the organization, and changes of its policy, because these
    entries name no agent. The{' '}
    <PageLink to={`/agents/${agentId}`} search={{ tab: 'timeline' }}>
      Timeline
    </PageLink>{' '}
    of the agent has them.
  </p>
)

/** It alone renders again when its times change: the entries below may be many. */
function ProofSentence({ proof }: { proof: Schema<'AuditProof'> }) {
  const trail = useTextNow((now) => trailClause(proof, now))
  const verification = useTextNow((now) => verificationClause(proof, now))
  return (
    <>
      <Sentence waiting={[{ text: trail }]} />
      {verification} <Sentence fine={waitingClause(proof)} />
    </>
  )
}
