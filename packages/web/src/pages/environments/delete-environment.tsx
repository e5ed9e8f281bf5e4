import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { read, useWrite } from '../../api/queries.ts'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { FieldError } from '../../ui/fields/field.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { effectsOf } from './words.ts'

/** Deletes an environment, after the preview of what this revokes and keeps. */
export function DeleteEnvironment({
  environment,
  onClose,
}: {
  environment: Schema<'Environment'>
  onClose: () => void
}) {
  const path = { environment_id: environment.id }
  const preview = useQuery({ ...read('previewEnvironmentDeletion', { path }), staleTime: 0 })
  const write = useWrite('deleteEnvironment')
  const found = preview.data && effectsOf(preview.data)
  return (
    <Confirm
      title={`Delete ${environment.name}?`}
      verb="Delete"
      look="danger"
      isFinal
      typed={environment.name}
      missing={found ? undefined : 'The effects must be read first.'}
      onClose={onClose}
      act={async () => {
        await write.mutateAsync({ path })
        tell(`Deleted ${environment.name}.`)
      }}
    >
      {preview.error && <Failed error={preview.error} onRetry={() => void preview.refetch()} />}
      {!found && !preview.error && <Loading rows={3} />}
      {found && (
        <ul>
          {found.effects.map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
      )}
      <FieldError text={found?.stops} />
    </Confirm>
  )
}
