import type { Schema } from '@mandate/sdk'
import { useState } from 'react'
import { readAgain, useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { Button } from '../../ui/actions/button.tsx'
import { copyText } from '../../ui/actions/copy-text.ts'
import { MoreActions } from '../../ui/actions/more-actions.tsx'
import { useNow } from '../../ui/browser/use-now.ts'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { ChangeBinding } from './change-binding.tsx'
import css from './keys.module.css'
import { isUnlimited, stateOf } from './words.ts'

type ApiKey = Schema<'ApiKey'>

/** The keys with what each may do, and when it was used. */
export function KeyTable({ rows, names }: { rows: readonly ApiKey[]; names: Record<string, string> }) {
  const [pressed, setPressed] = useState<ApiKey>()
  const [bound, setBound] = useState<ApiKey>()
  // The row as it was read last: it says when the key was last used.
  const revoked = pressed && (rows.find(({ id }) => id === pressed.id) ?? pressed)
  return (
    <>
      <Table
        label="API keys, newest first"
        rows={rows}
        idOf={({ id }) => id}
        columns={[
          { head: 'Name', cell: ({ name }) => <Name>{name}</Name> },
          { head: 'Begins with', cell: ({ key_prefix }) => <code>{key_prefix}</code> },
          { head: 'State', cell: (key) => <KeyState apiKey={key} />, narrow: 'start' },
          { head: 'Scopes', cell: (key) => <Scopes apiKey={key} /> },
          {
            head: 'Works in',
            cell: ({ environment_id: id }) =>
              id === undefined ? 'the organization' : <Name>{names[id] ?? 'one environment'}</Name>,
          },
          { head: 'Created by', cell: ({ created_by }) => <Name>{names[created_by] ?? 'a removed person'}</Name> },
          { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
          { head: 'Last used', cell: ({ last_used_at: at }) => (at ? <Time at={at} /> : 'never used'), narrow: 'end' },
          {
            head: 'Actions',
            isActions: true,
            cell: (key) => (
              <>
                {!key.revoked_at && (
                  <Button
                    look="plain"
                    reason="hidden"
                    name={`Revoke ${key.name}`}
                    disabledBecause={whyNot(key, 'revokeApiKey')}
                    onPress={() => {
                      setPressed(key)
                      void readAgain('listApiKeys')
                    }}
                  >
                    Revoke
                  </Button>
                )}
                <MoreActions
                  of={key.name}
                  history={{ resource_type: 'api_key', resource_id: key.id }}
                  actions={[
                    {
                      name: 'Change binding',
                      disabledBecause: whyNot(key, 'bindApiKey'),
                      act: () => setBound(key),
                    },
                    { name: 'Copy id', act: () => void copyText(key.id, `id of ${key.name}`) },
                  ]}
                />
              </>
            ),
          },
        ]}
      />
      {bound && <ChangeBinding apiKey={bound} onClose={() => setBound(undefined)} />}
      {revoked && <Revoke apiKey={revoked} onClose={() => setPressed(undefined)} />}
    </>
  )
}

/** Whether the key works, and until when. */
function KeyState({ apiKey }: { apiKey: ApiKey }) {
  const now = useNow()
  const { revoked_at, expires_at } = apiKey
  const look = stateOf(apiKey, now)
  const at = revoked_at ?? expires_at
  const isOver = look.word !== 'Active'
  return (
    <>
      <State {...look} word={at && !isOver ? 'Active, ends' : look.word} /> {at && <Time at={at} />}
    </>
  )
}

function Scopes({ apiKey }: { apiKey: ApiKey }) {
  if (isUnlimited(apiKey)) return 'All of its creator'
  const text = apiKey.scopes.join(', ')
  return (
    <code className={css.scopes} title={text}>
      {text}
    </code>
  )
}

function Revoke({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const write = useWrite('revokeApiKey')
  return (
    <Confirm
      title={`Revoke ${apiKey.name}?`}
      verb="Revoke"
      look="danger"
      isFinal
      onClose={onClose}
      act={async () => {
        await write.mutateAsync({ path: { key_id: apiKey.id } })
        tell(`Revoked ${apiKey.name}.`)
      }}
    >
      <p>
        Programs with the key <code>{apiKey.key_prefix}…</code> are refused at once and for good.{' '}
        {apiKey.last_used_at ? (
          <>
            It was last used <Time at={apiKey.last_used_at} />.
          </>
        ) : (
          'No use of it is recorded.'
        )}
      </p>
    </Confirm>
  )
}
