import type { Schema } from '@mandate/sdk'
import { useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { anyRow, useList } from '../../api/use-list.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { copyText } from '../../ui/actions/copy-text.ts'
import { MoreActions } from '../../ui/actions/more-actions.tsx'
import { FilterBar, NoMatch } from '../../ui/filters/filter-bar.tsx'
import { activeOf } from '../../ui/filters/filters.ts'
import { useFilters } from '../../ui/filters/use-filters.ts'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { type Column, Table } from '../../ui/lists/table.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { numberOf } from '../../words/words.ts'
import { type PersonAct, PersonDialog } from './person-dialog.tsx'
import css from './team.module.css'
import { accessWords, factorOptions, factorQuery, factorWords, nameOf, roleText } from './words.ts'

type User = Schema<'User'>

interface Asked {
  act: PersonAct
  user: User
}

/** The people with a seat, by name. `after` follows once they are read, so that it does not jump. */
export function People({ after }: { after: ReactNode }) {
  const { search, second_factor } = useSearch({ from: '/inside/team' })
  const { change, clear } = useFilters('/team')
  const name = { name: 'search', label: 'Search people', value: search }
  const ofFactor = factorQuery(second_factor)
  const value = ofFactor && second_factor
  const filters = [{ name: 'second_factor', label: 'Second factor', value, options: factorOptions }]
  const { user: me } = useSession()
  const [asked, setAsked] = useState<Asked>()
  const query = {
    status: 'active',
    academy_only: false,
    sort_by: 'name',
    sort_order: 'asc',
    include: 'access,may',
    limit: 100,
    ...(search && { search }),
    ...ofFactor,
  } as const
  const list = useList('listUsers', { query })
  const ask = (act: PersonAct, user: User) => setAsked({ act, user })
  return (
    <>
      {/* The search is for the invitations and the learners too. */}
      <FilterBar search={name} filters={filters} onChange={change} onClear={clear} />
      <Panel title="People" more={list.total === undefined ? undefined : numberOf(list.total, 10_000)}>
        <ListPart
          list={list}
          empty={
            <NoMatch
              what="active person"
              filters={activeOf(filters, name)}
              onChange={change}
              onClear={clear}
              without={(name) =>
                anyRow('listUsers', { query: query }, name === 'second_factor' ? Object.keys(ofFactor ?? {}) : [name])
              }
            />
          }
        >
          {(rows) => <Table label="People" rows={rows} idOf={({ id }) => id} columns={columnsFor(me.id, ask)} />}
        </ListPart>
        {asked && <PersonDialog {...asked} onClose={() => setAsked(undefined)} />}
      </Panel>
      {(list.rows || list.error) && after}
    </>
  )
}

function columnsFor(me: string, ask: (act: PersonAct, user: User) => void): readonly [Column<User>, ...Column<User>[]] {
  return [
    {
      head: 'Name',
      cell: (user) => (
        <>
          <Name>{nameOf(user)}</Name> {user.id === me && <span className={css.dim}>you</span>}
        </>
      ),
    },
    { head: 'E-mail', cell: ({ email }) => <Name className={css.dim}>{email}</Name> },
    { head: 'Role', cell: roleText, narrow: 'start' },
    { head: 'Access', cell: accessWords },
    {
      head: 'Second factor',
      narrow: 'end',
      cell: (user) => {
        const factors = factorWords(user)
        if (factors === undefined) return <State glyph="warn" tone="deny" word="none" />
        return <State glyph={user.mfa_enrolled ? 'approved' : 'info'} tone="quiet" word={factors} />
      },
    },
    {
      head: 'Active',
      isNumber: true,
      cell: ({ last_active_at: at }) => (at ? <Time at={at} /> : 'never'),
    },
    { head: 'Actions', isActions: true, cell: (user) => <RowActions user={user} ask={ask} /> },
  ]
}

function RowActions({ user, ask }: { user: User; ask: (act: PersonAct, user: User) => void }) {
  const isScoped = user.access_scope === 'scoped'
  return (
    <>
      <Button
        look="plain"
        reason="hidden"
        name={`Change role of ${nameOf(user)}`}
        disabledBecause={whyNot(user, 'updateUser:role')}
        onPress={() => ask('role', user)}
      >
        Change role
      </Button>
      <MoreActions
        of={nameOf(user)}
        history={{ resource_type: 'user', resource_id: user.id }}
        actions={[
          isScoped
            ? {
                name: 'Give full access',
                disabledBecause: whyNot(user, 'setAccessScope:all'),
                act: () => ask('full access', user),
              }
            : {
                name: 'Limit access',
                disabledBecause: whyNot(user, 'setAccessScope'),
                act: () => ask('limit access', user),
              },
          {
            name: user.read_only ? 'Allow changes' : 'Make read-only',
            disabledBecause: whyNot(user, 'updateUser:read_only'),
            act: () => ask('read-only', user),
          },
          { name: 'Grant agents', disabledBecause: whyNot(user, 'createGrant'), act: () => ask('grants', user) },
          { name: 'Reset MFA', disabledBecause: whyNot(user, 'resetMfa'), act: () => ask('reset mfa', user) },
          {
            name: 'End sessions',
            disabledBecause: whyNot(user, 'revokeUserSessions'),
            act: () => ask('end sessions', user),
          },
          { name: 'Copy id', act: () => void copyText(user.id, `id of ${nameOf(user)}`) },
          {
            name: 'Remove',
            look: 'danger',
            disabledBecause: whyNot(user, 'removeUser'),
            act: () => ask('remove', user),
          },
        ]}
      />
    </>
  )
}
