import { MandateError, type Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read, write } from '../../../api/queries.ts'
import { whyNot } from '../../../api/why-not.ts'
import { Button } from '../../../ui/actions/button.tsx'
import { Confirm } from '../../../ui/dialogs/dialog.tsx'
import { LostRace } from '../../../ui/dialogs/lost-race.tsx'
import { tell } from '../../../ui/dialogs/toast.tsx'
import { leavesPage, useUnsent } from '../../../ui/dialogs/unsent.ts'
import { FieldError } from '../../../ui/fields/field.tsx'
import { Table } from '../../../ui/lists/table.tsx'
import { PageLink } from '../../../ui/page/page-link.tsx'
import { Panel } from '../../../ui/page/panel.tsx'
import { isolated } from '../../../ui/texts/direction/isolated.ts'
import { Name } from '../../../ui/texts/name.tsx'
import { Empty, Failed, Loading } from '../../../ui/texts/notes.tsx'
import { counted } from '../../../words/words.ts'
import type { Policy } from '../document/document.ts'
import css from '../policy.module.css'
import { BindingsVersions } from '../versions/content-versions.tsx'
import { AddBinding } from './add-binding.tsx'
import { actionText, bindingName, removedBindings } from './content-words.ts'
import { useContentRefused } from './use-content-refused.ts'

type Binding = Schema<'ContentBinding'>

/** What happens when a pattern matches in a call? */
export function ContentPart({ policy }: { policy: Policy }) {
  const path = { policy_id: policy.id }
  const stored = useQuery(read('getContentBindings', { path }))
  const patterns = useQuery(read('listContentPatterns'))
  const failed = stored.error ?? patterns.error
  if (failed) return <Failed error={failed} onRetry={() => void Promise.all([stored.refetch(), patterns.refetch()])} />
  if (!stored.data || !patterns.data) return <Loading rows={6} />
  return (
    <div className={css.versions}>
      <Bindings policy={policy} stored={stored.data} patterns={patterns.data.data} />
      <BindingsVersions policy={policy} patterns={patterns.data.data} />
    </div>
  )
}

interface BindingsDraft {
  /** The version that the draft was made from. */
  base: number
  bindings: readonly Binding[]
}

interface BindingsProps {
  policy: Policy
  stored: Schema<'ContentBindings'>
  patterns: readonly Schema<'ContentPattern'>[]
}

function Bindings({ policy, stored, patterns }: BindingsProps) {
  const [state, setState] = useState<BindingsDraft>()
  const draft = state?.bindings ?? stored.bindings
  const setDraft = (bindings: readonly Binding[]) => setState({ base: state?.base ?? stored.version, bindings })
  const discard = () => setState(undefined)
  const [isAdding, setAdding] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<string>()
  const refused = whyNot(policy, 'replaceContentBindings')
  const contentRefused = useContentRefused(policy)
  const isChanged = state !== undefined
  useUnsent({
    what: 'The content bindings are',
    verb: 'Discard the draft',
    isUnsent: () => isChanged,
    isLost: leavesPage('tab'),
  })
  // The own save arrives as a newer version too.
  const isNewer = state !== undefined && !isSaving && stored.version > state.base
  const removed = removedBindings(stored.bindings, draft)
  const save = async () => {
    if (state === undefined) return
    setSaving(true)
    setError(undefined)
    try {
      const path = { policy_id: policy.id }
      const body = { bindings: [...state.bindings] }
      const saved = await write('replaceContentBindings', { path, body, ifMatch: state.base })
      tell('Saved the content bindings.')
      // What was changed while the save ran stays a draft.
      setState((now) => (now === state || now === undefined ? undefined : { ...now, base: saved.version }))
    } catch (failure) {
      if (!(failure instanceof MandateError)) throw failure
      // Another person was first: the newer version is read by now, and both are shown.
      if (failure.status !== 412) setError(failure.message)
    } finally {
      setSaving(false)
    }
  }
  return (
    <Panel
      title="Content bindings"
      legend={policy.dlp_enabled ? <span>in force</span> : <Off policy={policy} />}
      more={<PageLink to="/content-patterns">Patterns</PageLink>}
    >
      {isNewer && (
        <OtherBindings
          policy={policy}
          stored={stored}
          patterns={patterns}
          onKeep={() => setState({ base: stored.version, bindings: draft })}
          onTake={discard}
        />
      )}
      {draft.length === 0 ? (
        <Empty>Nothing is looked for in the content of calls.</Empty>
      ) : (
        <Table
          label="Content bindings"
          rows={draft.map((binding, index) => ({ binding, index }))}
          idOf={({ index }) => String(index)}
          columns={[
            { head: 'Pattern', cell: ({ binding }) => <Name>{bindingName(binding, patterns)}</Name> },
            { head: 'In', cell: ({ binding }) => binding.on },
            { head: 'Action', cell: ({ binding }) => actionText(binding) },
            {
              head: 'Actions',
              isActions: true,
              cell: ({ binding, index }) => (
                <Button
                  look="plain"
                  reason="hidden"
                  name={`Remove ${bindingName(binding, patterns)} in ${binding.on}`}
                  disabledBecause={refused}
                  onPress={() => setDraft(draft.filter((_, place) => place !== index))}
                >
                  Remove
                </Button>
              ),
            },
          ]}
        />
      )}
      <div className={css.acts}>
        <Button disabledBecause={refused ?? contentRefused} onPress={() => setAdding(true)}>
          Add binding
        </Button>
        <Button
          look="act"
          isBusy={isSaving}
          disabledBecause={
            refused ??
            (isNewer ? `Version ${stored.version} was saved meanwhile.` : isChanged ? undefined : 'Nothing is changed.')
          }
          reason="hidden"
          onPress={() => (removed.length > 0 ? setAsking(true) : void save())}
        >
          Save bindings
        </Button>
        {isChanged && (
          <Button look="plain" onPress={discard}>
            Discard
          </Button>
        )}
      </div>
      <FieldError text={error} />
      {isAsking && (
        <Confirm
          title={`Remove content bindings of ${policy.name}?`}
          verb="Save bindings"
          isFinal
          act={save}
          onClose={() => setAsking(false)}
        >
          <p>
            {counted(removed.length, '# binding is removed', '# bindings are removed')}
            {policy.dlp_enabled ? ', in force at once. Content that they stop now can then pass.' : '.'}
          </p>
          <ul>
            {removed.map((binding) => (
              <li key={`${binding.pattern_id} ${binding.group} ${binding.on} ${binding.action} ${binding.label}`}>
                <Name>{bindingName(binding, patterns)}</Name> in {binding.on}: {actionText(binding)}
              </li>
            ))}
          </ul>
        </Confirm>
      )}
      {isAdding && (
        <AddBinding
          patterns={patterns}
          onAdd={(binding) => setDraft([...draft, binding])}
          onClose={() => setAdding(false)}
        />
      )}
    </Panel>
  )
}

interface OtherBindingsProps {
  policy: Policy
  stored: Schema<'ContentBindings'>
  patterns: readonly Schema<'ContentPattern'>[]
  onKeep: () => void
  onTake: () => void
}

/** Another person saved while the draft was open: shows both, because the draft is below. */
function OtherBindings({ policy, stored: { version, bindings }, patterns, onKeep, onTake }: OtherBindingsProps) {
  const saved = useQuery(read('getContentBindingsVersion', { path: { policy_id: policy.id, version } }))
  const who = isolated(saved.data?.saved_by.display_name || 'someone else')
  return (
    <LostRace
      label="Other bindings were saved"
      text={`Version ${version} of the bindings was saved by ${who} while you edited. Your draft is below, and replaces these bindings if you keep it.`}
      keep={{ text: `Keep my draft for version ${version + 1}`, act: onKeep }}
      take={{ text: `Take version ${version}`, act: onTake }}
    >
      <ul>
        {bindings.length === 0 && <li>Version {version} has no binding.</li>}
        {bindings.map((binding, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list of a version does not change
          <li key={index}>
            <Name>{bindingName(binding, patterns)}</Name> in {binding.on}: {actionText(binding)}
          </li>
        ))}
      </ul>
    </LostRace>
  )
}

/** Says where the bindings are put into force. */
const Off = ({ policy }: { policy: Policy }) => (
  <span>
    not in force: the box Content rules in the tab <PageLink to={`/policies/${policy.id}`}>Rules</PageLink> is off
  </span>
)
