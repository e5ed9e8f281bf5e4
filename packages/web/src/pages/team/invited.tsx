import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { useList } from '../../api/use-list.ts'
import { whyNot } from '../../api/why-not.ts'
import { Button } from '../../ui/actions/button.tsx'
import { copyText } from '../../ui/actions/copy-text.ts'
import { MoreActions } from '../../ui/actions/more-actions.tsx'
import { useNow } from '../../ui/browser/use-now.ts'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { SelectField } from '../../ui/fields/field.tsx'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { timeLeft } from '../../words/times.ts'
import { counted, numberOf } from '../../words/words.ts'
import { roleChoices } from './change-role.tsx'
import { PersonDialog } from './person-dialog.tsx'
import { SendAgain } from './send-again.tsx'
import css from './team.module.css'
import { learnerActs, nameOf, roleHints, roleText } from './words.ts'

type User = Schema<'User'>

const newestFirst = { sort_by: 'created_at', sort_order: 'desc', include: 'access,may', limit: 50 } as const

/** The text that the page searches for, for the query of a list. Undefined without a text. */
function useNameSearch(): { search: string } | undefined {
  const { search } = useSearch({ from: '/inside/team' })
  return search ? { search } : undefined
}

/** The invitations that nobody has accepted. */
export function PendingInvitations() {
  const search = useNameSearch()
  const list = useList('listUsers', { query: { ...newestFirst, ...search, status: 'pending', academy_only: false } })
  const [withdrawn, setWithdrawn] = useState<User>()
  return (
    <Panel title="Pending invitations" more={list.total === undefined ? undefined : numberOf(list.total)}>
      <ListPart
        list={list}
        empty={<Empty>{search ? 'No invitation matches.' : 'No invitation waits for an answer.'}</Empty>}
      >
        {(rows) => (
          <Table
            label="Pending invitations"
            rows={rows}
            idOf={({ id }) => id}
            columns={[
              { head: 'E-mail', cell: ({ email }) => <Name>{email}</Name> },
              { head: 'Role', cell: roleText, narrow: 'start' },
              {
                head: 'Sent',
                narrow: 'end',
                cell: ({ invitation, created_at }) => (
                  <>
                    <Time at={invitation?.sent_at ?? created_at} />
                    {invitation && <Expiry at={invitation.expires_at} />}
                  </>
                ),
              },
              {
                head: 'Actions',
                isActions: true,
                cell: (user) => (
                  <>
                    <SendAgain user={user} />
                    <Button
                      look="plain"
                      reason="hidden"
                      name={`Withdraw the invitation of ${user.email}`}
                      disabledBecause={whyNot(user, 'removeUser')}
                      onPress={() => setWithdrawn(user)}
                    >
                      Withdraw
                    </Button>
                    <MoreActions
                      of={user.email}
                      history={{ resource_type: 'user', resource_id: user.id }}
                      actions={[{ name: 'Copy id', act: () => void copyText(user.id, `id of ${user.email}`) }]}
                    />
                  </>
                ),
              },
            ]}
          />
        )}
      </ListPart>
      {withdrawn && <Withdraw user={withdrawn} onClose={() => setWithdrawn(undefined)} />}
    </Panel>
  )
}

function Withdraw({ user: { id, email, academy_only: isLearner }, onClose }: { user: User; onClose: () => void }) {
  const remove = useWrite('removeUser')
  return (
    <Confirm
      title={`Withdraw the invitation of ${email}?`}
      verb="Withdraw"
      look="danger"
      isFinal
      onClose={onClose}
      act={async () => {
        await remove.mutateAsync({ path: { user_id: id } })
        tell(`Withdrew the invitation of ${email}.`)
      }}
    >
      <p>The link in the mail stops working{isLearner ? '.' : ', and the seat is free.'}</p>
    </Confirm>
  )
}

function Expiry({ at }: { at: string }) {
  const left = new Date(at).getTime() - useNow()
  return left > 0 ? <>, expires in {timeLeft(left)}</> : <>, has expired</>
}

/** The people who use the training only. */
export function Learners() {
  const search = useNameSearch()
  const list = useList('listUsers', { query: { ...newestFirst, ...search, academy_only: true } })
  const [asked, setAsked] = useState<{ act: LearnerAct; user: User }>()
  return (
    <Panel title="Learners" more={list.total ? `${numberOf(list.total)}, no seats` : undefined}>
      <ListPart
        list={list}
        empty={
          <Empty>
            {search
              ? 'No learner matches.'
              : 'Nobody is a learner. A learner uses only the training, and holds no seat.'}
          </Empty>
        }
      >
        {(rows) => (
          <Table
            label="Learners"
            rows={rows}
            idOf={({ id }) => id}
            columns={[
              { head: 'Name', cell: (user) => <Name>{nameOf(user)}</Name> },
              { head: 'E-mail', cell: ({ email }) => <Name className={css.dim}>{email}</Name> },
              {
                head: 'State',
                narrow: 'start',
                cell: ({ status, invitation }) => (
                  <>
                    {status === 'pending' ? 'Invited' : 'Joined'}
                    {invitation && <Expiry at={invitation.expires_at} />}
                  </>
                ),
              },
              {
                head: 'Actions',
                isActions: true,
                cell: (user) => (
                  <>
                    {user.status === 'pending' ? (
                      <SendAgain user={user} />
                    ) : (
                      <Button
                        reason="hidden"
                        name={`Give platform access to ${nameOf(user)}`}
                        disabledBecause={whyNot(user, 'grantPlatformAccess')}
                        onPress={() => setAsked({ act: 'give access', user })}
                      >
                        Give platform access
                      </Button>
                    )}
                    <MoreActions
                      of={nameOf(user)}
                      history={{ resource_type: 'user', resource_id: user.id }}
                      actions={[
                        ...learnerActs(user).map(({ name, act, operation }) => ({
                          name,
                          disabledBecause: whyNot(user, operation),
                          ...(operation === 'removeUser' && { look: 'danger' as const }),
                          act: () => setAsked({ act, user }),
                        })),
                        { name: 'Copy id', act: () => void copyText(user.id, `id of ${nameOf(user)}`) },
                      ]}
                    />
                  </>
                ),
              },
            ]}
          />
        )}
      </ListPart>
      {asked && <LearnerDialog {...asked} onClose={() => setAsked(undefined)} />}
    </Panel>
  )
}

type LearnerAct = ReturnType<typeof learnerActs>[number]['act'] | 'give access'

function LearnerDialog({ act, ...rest }: { act: LearnerAct; user: User; onClose: () => void }) {
  if (act === 'give access') return <GivePlatformAccess {...rest} />
  if (act === 'withdraw') return <Withdraw {...rest} />
  return <PersonDialog act={act} {...rest} />
}

function GivePlatformAccess({ user, onClose }: { user: User; onClose: () => void }) {
  const { data } = useQuery(read('getOwnTenant'))
  const write = useWrite('grantPlatformAccess')
  const [role, setRole] = useState<Exclude<User['role'], 'owner'>>('viewer')
  const { max, used } = data?.tenant.seats ?? { max: null, used: 0 }
  return (
    <Confirm
      title={`Give ${nameOf(user)} platform access?`}
      verb="Give platform access"
      onClose={onClose}
      act={async () => {
        await write.mutateAsync({ path: { user_id: user.id }, body: { role } })
        tell(`${nameOf(user)} has platform access.`)
      }}
    >
      <SelectField
        label="Role"
        value={role}
        onChange={setRole}
        options={roleChoices(['owner']) as { value: typeof role; text: string }[]}
        hint={roleHints[role]}
      />
      <p>
        The person takes a seat
        {max === null ? '.' : `, of which ${counted(Math.max(0, max - used), '# is free.', '# are free.')}`} The
        training stays.
      </p>
    </Confirm>
  )
}
