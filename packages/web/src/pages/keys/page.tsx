import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { anyRow, useList } from '../../api/use-list.ts'
import { whyNot } from '../../api/why-not.ts'
import { seesPeople, useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { FilterBar, NoMatch } from '../../ui/filters/filter-bar.tsx'
import { activeOf, type Filter } from '../../ui/filters/filters.ts'
import { useFilters } from '../../ui/filters/use-filters.ts'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { ChangeBinding } from './change-binding.tsx'
import { CreateKey } from './create-key.tsx'
import { type KeyAct, KeyTable } from './key-table.tsx'
import css from './keys.module.css'
import { RevokeKey } from './revoke-key.tsx'
import { RotateKey } from './rotate-key.tsx'
import { clausesOf, fineOf, oldDays, unusedDays } from './words.ts'

const states = ['active', 'expired', 'revoked'] as const
const ended = [
  { value: 'expired', text: 'Expired' },
  { value: 'revoked', text: 'Revoked' },
]
const daysOption = (days: number) => ({ value: String(days), text: `${days} days` })

/** Which programs can call the API, and which of their keys should go? */
export function KeysPage() {
  const session = useSession()
  const { state, unused_days, older_days } = useSearch({ from: '/inside/keys' })
  const whyNoKey = whyNot(session, 'createApiKey')
  const dialog = useDialog({ create: whyNoKey })
  const shown = states.find((known) => known === state) ?? 'active'
  const query = {
    state: shown,
    include: 'may,names' as const,
    limit: 100,
    ...(unused_days && { unused_days: daysOf(unused_days) }),
    ...(older_days && { older_days: daysOf(older_days) }),
  }
  const list = useList('listApiKeys', { query })
  // The dialogs are not in the table. If its last row went, they would close, and one of them shows a key only once.
  const [opened, setOpened] = useState<{ act: KeyAct; apiKey: Schema<'ApiKey'> }>()
  const close = () => setOpened(undefined)
  const counts = useCounts()
  const { change, clear } = useFilters('/keys')
  const filters: Filter[] = [
    { name: 'state', label: 'State', value: shown === 'active' ? undefined : shown, without: 'Active', options: ended },
    { name: 'unused_days', label: 'Not used for', value: unused_days, options: [daysOption(unusedDays)] },
    { name: 'older_days', label: 'Older than', value: older_days, options: [daysOption(oldDays)] },
  ]
  const active = activeOf(filters)
  const create = (
    <Button look="act" disabledBecause={whyNoKey} onPress={() => dialog.open('create')}>
      Create key
    </Button>
  )
  return (
    <>
      <PageHead
        name="API keys"
        sentence={counts && <Sentence wrong={clausesOf(counts)} fine={fineOf(counts)} />}
        {...(counts && { firstClause: clausesOf(counts)[0]?.text ?? fineOf(counts) ?? '' })}
        actions={create}
      />
      <FilterBar filters={filters} onChange={change} onClear={clear} />
      {shown === 'revoked' && seesPeople(session) && (
        <p className={css.note}>
          The keys of a person are deleted when the person is removed. The{' '}
          <PageLink to="/audit" search={{ event_type: 'api_key.revoked' }}>
            audit trail
          </PageLink>{' '}
          says who made a key, who ended it, and when.
        </p>
      )}
      <ListPart
        list={list}
        empty={
          active.length > 0 ? (
            <NoMatch
              what="API key"
              filters={active}
              onChange={change}
              onClear={clear}
              without={(name) =>
                // The page shows the active keys if no state is chosen.
                name === 'state'
                  ? anyRow('listApiKeys', { query: { ...query, state: 'active' } }, [])
                  : anyRow('listApiKeys', { query }, [name])
              }
            />
          ) : (
            <Empty>
              A program calls the API with a key. A key acts with the role and the access of the person who creates it,
              and its scopes can limit it further.
            </Empty>
          )
        }
      >
        {(rows) => <KeyTable rows={rows} names={list.names} onAct={(act, apiKey) => setOpened({ act, apiKey })} />}
      </ListPart>
      {opened?.act === 'bind' && <ChangeBinding apiKey={opened.apiKey} onClose={close} />}
      {opened?.act === 'revoke' && <RevokeKey apiKey={opened.apiKey} onClose={close} />}
      {opened?.act === 'rotate' && (
        <RotateKey
          apiKey={opened.apiKey}
          creator={list.names[opened.apiKey.created_by]}
          onClose={close}
          onDone={() => setOpened({ ...opened, act: 'revoke' })}
        />
      )}
      {dialog.name === 'create' && <CreateKey onClose={dialog.close} />}
    </>
  )
}

const daysOf = (text: string) => (/^\d{1,5}$/.test(text) ? Number(text) : 0)

/** How many keys are active, unused, and old. Undefined while the counts are read. */
function useCounts() {
  const count = { state: 'active', limit: 1 } as const
  const active = useQuery(read('listApiKeys', { query: count }))
  const unused = useQuery(read('listApiKeys', { query: { ...count, unused_days: unusedDays } }))
  const old = useQuery(read('listApiKeys', { query: { ...count, older_days: oldDays } }))
  if (!active.data || !unused.data || !old.data) return undefined
  return { active: active.data.total, unused: unused.data.total, old: old.data.total }
}
