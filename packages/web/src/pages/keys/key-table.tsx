import type { Schema } from '@mandate/sdk'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { copyText } from '../../ui/actions/copy-text.ts'
import { MoreActions } from '../../ui/actions/more-actions.tsx'
import { useNow } from '../../ui/browser/use-now.ts'
import { Table } from '../../ui/lists/table.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Time } from '../../ui/texts/time.tsx'
import css from './keys.module.css'
import { isUnlimited, stateOf } from './words.ts'

type ApiKey = Schema<'ApiKey'>

export type KeyAct = 'rotate' | 'bind' | 'revoke'

interface KeyTableProps {
  rows: readonly ApiKey[]
  names: Record<string, string>
  onAct: (act: KeyAct, key: ApiKey) => void
}

/** The keys with what each may do, and when it was used. */
export function KeyTable({ rows, names, onAct }: KeyTableProps) {
  const session = useSession()
  return (
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
                  onPress={() => onAct('revoke', key)}
                >
                  Revoke
                </Button>
              )}
              <MoreActions
                of={key.name}
                history={{ resource_type: 'api_key', resource_id: key.id }}
                actions={[
                  {
                    name: 'Rotate key',
                    disabledBecause: whyNoNewKey(session, key),
                    act: () => onAct('rotate', key),
                  },
                  {
                    name: 'Change binding',
                    disabledBecause: whyNot(key, 'bindApiKey'),
                    act: () => onAct('bind', key),
                  },
                  { name: 'Copy id', act: () => void copyText(key.id, `id of ${key.name}`) },
                ]}
              />
            </>
          ),
        },
      ]}
    />
  )
}

/** Returns why the person cannot rotate the key. Undefined if the person can. */
function whyNoNewKey(session: ReturnType<typeof useSession>, key: ApiKey): string | undefined {
  const refusal = whyNot(session, 'createApiKey')
  if (refusal !== undefined) return refusal
  if (stateOf(key, Date.now()).word !== 'Active') return 'The key does not work any more. Create a new key.'
  return key.environment_id === undefined ? whyNot(session, 'createApiKey:organization') : undefined
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
