import type { Schema } from '@mandate/sdk'
import { replacementKey } from '@mandate/sdk/people/replacement-key'
import { useWrite } from '../../api/queries.ts'
import { useSession } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { Secret } from '../../ui/fields/secret.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { timeLeft } from '../../words/times.ts'

type ApiKey = Schema<'ApiKey'>

interface RotateKeyProps {
  apiKey: ApiKey
  /** The name of the person who created the key. Undefined for a removed person. */
  creator: string | undefined
  onClose: () => void
  /** Called when the person has the new key. The old one can go then. */
  onDone: () => void
}

/** Creates a key that replaces a key, and shows it once. The old key works until it is revoked. */
export function RotateKey({ apiKey, creator, onClose, onDone }: RotateKeyProps) {
  const { user } = useSession()
  const create = useWrite('createApiKey')
  const { name, key_prefix, created_by, created_at, expires_at } = apiKey
  if (create.data) {
    return (
      <Secret title={`The new key ${name}`} what="key" value={create.data.raw_key} onClose={onDone} onLeave={onClose}>
        <p>
          Give it to the program in place of <code>{key_prefix}…</code>. The old key works until you revoke it: in the
          next step, or later in the list.
        </p>
      </Secret>
    )
  }
  return (
    <FormDialog
      title={`Rotate ${name}?`}
      verb="Rotate key"
      act={() => create.mutateAsync({ body: replacementKey(apiKey, Date.now()) })}
      isBusy={create.isPending}
      fault={create.error?.message}
      onClose={onClose}
    >
      <p>
        A new key is created with the same name, scopes and environment, and{' '}
        {expires_at === undefined
          ? 'never ends'
          : `ends in ${timeLeft(Date.parse(expires_at) - Date.parse(created_at))}, as long as the old one`}
        . The old key <code>{key_prefix}…</code> works until you revoke it.
      </p>
      {created_by !== user.id && (
        <p>
          The new key acts as you, with your role and your access. The old one acts as{' '}
          <Name>{creator ?? 'a removed person'}</Name>.
        </p>
      )}
    </FormDialog>
  )
}
