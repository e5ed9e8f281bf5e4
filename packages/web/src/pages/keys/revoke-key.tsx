import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { read, useWrite } from '../../api/queries.ts'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { newerOf } from './words.ts'

type ApiKey = Schema<'ApiKey'>

/** The first use of a key is no event, so the dialog asks at this interval. */
const pollMs = 5_000

/** Revokes a key. If another key replaces it, the dialog says whether that key is in use. */
export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const write = useWrite('revokeApiKey')
  const { data } = useQuery({
    ...read('listApiKeys', { query: { state: 'active', limit: 200 } }),
    refetchInterval: pollMs,
  })
  const newer = data && newerOf(data.data, apiKey)
  // The list of the page may have no row of this state, and is not read at this interval.
  const { last_used_at } = data?.data.find(({ id }) => id === apiKey.id) ?? apiKey
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
        {last_used_at ? (
          <>
            It was last used <Time at={last_used_at} />.
          </>
        ) : (
          'No use of it is recorded.'
        )}
      </p>
      {newer && (
        <p>
          The newer key <code>{newer.key_prefix}…</code> with the same name, scopes and environment{' '}
          {newer.last_used_at ? (
            <>
              was last used <Time at={newer.last_used_at} />.
            </>
          ) : (
            'is not in use yet. Until you revoke the old key, both work.'
          )}
        </p>
      )}
    </Confirm>
  )
}
