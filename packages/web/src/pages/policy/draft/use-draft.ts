import { MandateError } from '@mandate/sdk'
import { useMemo, useState } from 'react'
import { write } from '../../../api/queries.ts'
import { useSession } from '../../../session/session.ts'
import { tell } from '../../../ui/dialogs/toast.tsx'
import {
  changesOf,
  type Document,
  documentOf,
  type Policy,
  readText,
  textOf,
  unknownFields,
} from '../document/document.ts'
import { savedText } from '../rules/words.ts'
import { useFaults } from './checks.ts'
import { afterSave, type Draft } from './draft.ts'
import { type Fault, faultInWords, faultsOf } from './faults.ts'
import { keepDraft } from './keep-draft.ts'

/** Maximum number of warnings that the note about a save shows. */
const mostWarnings = 3

export interface DraftState {
  document: Document
  /** Undefined while nothing was changed. */
  draft: Document | undefined
  changes: number
  text: string
  /** Why the text is no document. */
  textError: string | undefined
  faults: readonly Fault[]
  /** The first field that no policy has. Only the text shows it. */
  unknown: Fault | undefined
  /** True if the server accepts the draft. */
  isValid: boolean
  /** The policy that another person saved since the draft began. */
  newer: Policy | undefined
  change: (part: Partial<Document>) => void
  type: (text: string) => void
  discard: () => void
  /** The draft on top of the newer version. */
  kept: Document | undefined
  /** Keeps the draft, on top of the newer version. */
  keep: () => void
  /** Saves the draft as it was when the button was pressed. Throws what the server refuses, except a race, which the page shows by itself. */
  save: () => Promise<void>
  isSaving: boolean
  /** The version that the last save of this draft made. */
  saved: number | undefined
}

/** The draft of a policy. The form and the text change the same document. It stays after any error. */
export function useDraft(policy: Policy): DraftState {
  const seesAll = useSession().user.access_scope === 'all'
  const [state, setState] = useState<Draft>()
  const [refused, setRefused] = useState<{ document: Document; faults: readonly Fault[] }>()
  const [isSaving, setSaving] = useState(false)
  const [savedVersion, setSavedVersion] = useState<number>()
  const saved = documentOf(policy)
  const base = state ? documentOf(state.base) : saved
  const document = state?.document ?? saved
  const typed = state?.text === undefined ? undefined : readText(state.text)
  const textError = typed && 'error' in typed ? typed.error : undefined
  const hasChanges = state !== undefined && (textError !== undefined || textOf(base) !== textOf(document))
  const draft = hasChanges ? document : undefined
  const checked = useFaults(textError === undefined ? draft : undefined)
  const unknown = useMemo(() => (draft === undefined ? [] : unknownFields(draft)), [draft])
  const stored = checked.faults.length > 0 ? checked.faults : refused?.document === draft ? (refused?.faults ?? []) : []
  const faults = unknown.length > 0 ? [...unknown, ...stored] : stored
  // The own save arrives as a newer version too.
  const newer = !isSaving && state && policy.version > state.base.version && draft ? policy : undefined
  // A text that is no document cannot be put on top of another version.
  const kept = newer && draft && (textError === undefined ? keepDraft(base, documentOf(newer), draft) : draft)
  const set = (next: Document, text: string | undefined) =>
    setState({ base: draft && state ? state.base : policy, document: next, text })

  const save = async () => {
    if (!draft || !state) return
    setSaving(true)
    try {
      const input = { path: { policy_id: policy.id }, body: draft as never, ifMatch: state.base.version }
      const { warnings = [], ...stored } = await write('replacePolicy', input)
      const { version, rules } = stored
      setState((now) => afterSave(now, state, { ...policy, ...stored }))
      setSavedVersion(version)
      const advice = warnings.slice(0, mostWarnings).map((warning) => faultInWords(warning, rules))
      tell([savedText(stored, seesAll), ...advice].join(' '))
    } catch (error) {
      // Another person was first: the newer version is read by now, and both are shown.
      if (error instanceof MandateError && error.status === 412) return
      setRefused({ document: draft, faults: faultsOf(error as Error) })
      throw error
    } finally {
      setSaving(false)
    }
  }

  return {
    document,
    draft,
    changes: draft ? changesOf(base, safe(draft)) : 0,
    text: state?.text ?? textOf(document),
    textError,
    faults,
    unknown: unknown[0],
    isValid: draft !== undefined && textError === undefined && unknown.length === 0 && checked.isChecked,
    newer,
    change: (part) => set({ ...document, ...part }, undefined),
    type: (text) => {
      const next = readText(text)
      set('document' in next ? next.document : document, text)
    },
    discard: () => setState(undefined),
    kept,
    keep: () => {
      if (!state) return
      const text = textError === undefined ? undefined : state.text
      setState({ base: policy, document: kept ?? state.document, text })
    },
    save,
    isSaving,
    saved: savedVersion,
  }
}

/** Rules that a person typed may be no objects. */
const safe = (document: Document): Document => ({
  ...document,
  rules: document.rules.filter((rule) => typeof rule === 'object' && rule !== null),
})
