import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { enforcingEffects } from './words.ts'

interface EnforcePinsProps {
  environment: Schema<'Environment'>
  act: () => Promise<unknown>
  onDone: () => void
  /** Returns to the form. */
  onBack: () => void
}

/** Asks before pins are enforced, and says which tools edges will hide. */
export function EnforcePins({ environment, act, onDone, onBack }: EnforcePinsProps) {
  const facets = useQuery({
    ...read('getToolFacets', { query: { environment_id: environment.id } }),
    staleTime: 0,
  })
  const save = async () => {
    await act()
    onDone()
  }
  return (
    <Confirm
      title={`Enforce the pins of tools in ${environment.name}?`}
      verb="Enforce"
      look="danger"
      onClose={onBack}
      act={save}
      missing={facets.data ? undefined : 'The tools are not counted yet.'}
    >
      {facets.error && <Failed error={facets.error} onRetry={() => void facets.refetch()} />}
      {!facets.data && !facets.error && <Loading rows={2} />}
      {facets.data && (
        <ul>
          {enforcingEffects(facets.data).map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
      )}
    </Confirm>
  )
}
