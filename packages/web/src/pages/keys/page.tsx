import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { useList } from '../../api/use-list.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { FilterLinks } from '../../ui/filters/filter-links.tsx'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { CreateKey } from './create-key.tsx'
import { KeyTable } from './key-table.tsx'
import { clausesOf, fineOf, oldDays, unusedDays } from './words.ts'

const states = ['active', 'expired', 'revoked'] as const

/** Which programs can call the API, and which of their keys should go? */
export function KeysPage() {
  const session = useSession()
  const { state, unused_days, older_days } = useSearch({ from: '/inside/keys' })
  const whyNoKey = whyNot(session, 'createApiKey')
  const dialog = useDialog({ create: whyNoKey })
  const shown = states.find((known) => known === state) ?? 'active'
  const list = useList('listApiKeys', {
    query: {
      state: shown,
      include: 'may,names',
      limit: 100,
      ...(unused_days && { unused_days: daysOf(unused_days) }),
      ...(older_days && { older_days: daysOf(older_days) }),
    },
  })
  const counts = useCounts()
  const isFiltered = state !== undefined || unused_days !== undefined || older_days !== undefined
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
      <FilterLinks
        label="Keys by state"
        to="/keys"
        choices={[
          { name: 'Active', search: {} },
          { name: `Not used for ${unusedDays} days`, search: { unused_days: String(unusedDays) } },
          { name: `Older than ${oldDays} days`, search: { older_days: String(oldDays) } },
          { name: 'Expired', search: { state: 'expired' } },
          { name: 'Revoked', search: { state: 'revoked' } },
        ]}
      />
      <ListPart
        list={list}
        empty={
          isFiltered ? (
            <Empty action={<PageLink to="/keys">Show the active keys</PageLink>}>No key matches this filter.</Empty>
          ) : (
            <Empty>
              A program calls the API with a key. A key acts with the role and the access of the person who creates it,
              and its scopes can limit it further.
            </Empty>
          )
        }
      >
        {(rows) => <KeyTable rows={rows} names={list.names} />}
      </ListPart>
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
