import type { Answer } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { read, useWrite } from '../../api/queries.ts'
import { leave, useSession } from '../../session/session.ts'
import { signOutOrTell } from '../../shell/doors/sign-out.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { ownRole } from '../../words/words.ts'
import { SecondFactor } from './second-factor.tsx'
import { SettingForm } from './setting-form.tsx'
import css from './settings.module.css'
import { useTyped } from './use-typed.ts'
import { browserOf } from './words.ts'

type Row = Answer<'listSessions'>['data'][number]

/** The account of the person who is signed in. */
export function Account() {
  return (
    <>
      <Profile />
      <Password />
      <SecondFactor />
      <Sessions />
    </>
  )
}

function Profile() {
  const { user, email_verified, tenant } = useSession()
  const write = useWrite('updateUser')
  const verification = useWrite('requestVerification')
  const form = useTyped({ display_name: user.display_name })
  const { display_name: name } = form.values
  const save = async () => {
    await write.mutateAsync({ path: { user_id: user.id }, body: { display_name: name } })
    form.keepUnsaved({ display_name: name })
  }
  return (
    <Panel title="Profile">
      <KeyValues
        rows={[
          [
            'E-mail',
            <span key="email">
              <Name>{user.email}</Name>{' '}
              {email_verified ? (
                <State glyph="approved" word="verified" tone="quiet" />
              ) : (
                <State glyph="warn" word="not verified" tone="hold" />
              )}
            </span>,
          ],
          ['Role', <Name key="role">{ownRole(user, tenant.name)}</Name>],
        ]}
      />
      {!email_verified && (
        <div className={css.row}>
          <Button
            isBusy={verification.isPending}
            onPress={() =>
              verification.mutate(
                {},
                { onSuccess: ({ message }) => tell(message), onError: ({ message }) => tell(message) },
              )
            }
          >
            Send the verification link again
          </Button>
        </div>
      )}
      <SettingForm fields={['display_name']} saved="Saved your name." isUnchanged={!form.isChanged} save={save}>
        {(errors) => (
          <Field
            label="Your name"
            value={name}
            onChange={(text) => form.set({ display_name: text })}
            error={errors.display_name}
            autoComplete="name"
            maxLength={200}
          />
        )}
      </SettingForm>
    </Panel>
  )
}

function Password() {
  const write = useWrite('changePassword')
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const save = async () => {
    await write.mutateAsync({ body: { current_password: current, password: next } })
    setCurrent('')
    setNext('')
  }
  return (
    <Panel title="Password">
      <SettingForm
        fields={['current_password', 'current password', 'password']}
        verb="Change password"
        saved="Changed the password. Your other sessions have ended."
        save={save}
      >
        {(errors) => (
          <>
            <Field
              label="Current password"
              type="password"
              value={current}
              onChange={setCurrent}
              error={errors.current_password ?? errors['current password']}
              autoComplete="current-password"
              maxLength={256}
            />
            <Field
              label="New password"
              type="password"
              value={next}
              onChange={setNext}
              error={errors.password}
              autoComplete="new-password"
              maxLength={256}
              hint="At least 10 characters. Your other sessions end."
            />
          </>
        )}
      </SettingForm>
    </Panel>
  )
}

function Sessions() {
  const { data, error, refetch } = useQuery(read('listSessions'))
  const revoke = useWrite('revokeSession')
  const [asked, setAsked] = useState<Row>()
  const end = async ({ id, current }: Row) => {
    const input = { path: { session_id: id } }
    if (current) {
      await client.call('revokeSession', input)
      leave()
      return
    }
    await revoke.mutateAsync(input)
    tell('Ended the session.')
  }
  return (
    <Panel
      title="Sessions"
      more={
        <Button look="plain" onPress={() => void signOutOrTell()}>
          Sign out
        </Button>
      }
    >
      {error && !data && <Failed error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={3} />}
      {data && (
        <Table
          label="Sessions, last used first"
          rows={data.data}
          idOf={({ id }) => id}
          columns={[
            {
              head: 'Browser or program',
              cell: ({ user_agent }) => <Name title={user_agent ?? undefined}>{browserOf(user_agent)}</Name>,
            },
            { head: 'Address', cell: ({ ip }) => <code>{ip ?? 'not known'}</code> },
            { head: 'Signed in', cell: ({ created_at }) => <Time at={created_at} />, narrow: 'end' },
            {
              head: 'Last used',
              narrow: 'start',
              cell: ({ last_used_at, current }) => (current ? 'this session' : <Time at={last_used_at} />),
            },
            {
              head: 'Actions',
              isActions: true,
              cell: (session) => (
                <Button
                  look="plain"
                  name={`End the session of ${browserOf(session.user_agent)}`}
                  onPress={() => setAsked(session)}
                >
                  End
                </Button>
              ),
            },
          ]}
        />
      )}
      {asked && (
        <Confirm
          title={asked.current ? 'End this session?' : `End the session of ${browserOf(asked.user_agent)}?`}
          verb="End the session"
          look="danger"
          isFinal
          onClose={() => setAsked(undefined)}
          act={() => end(asked)}
        >
          <p>
            {asked.current
              ? 'You are signed out in this browser.'
              : 'You must sign in again there. Pages that are open work for at most 15 more minutes.'}
          </p>
        </Confirm>
      )}
    </Panel>
  )
}
