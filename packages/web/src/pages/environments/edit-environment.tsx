import type { Schema } from '@mandate/sdk'
import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { changesOf, missingOf } from '../../ui/fields/changed-values.ts'
import { Check } from '../../ui/fields/check.tsx'
import { Field, SelectField } from '../../ui/fields/field.tsx'
import { modeLooks } from '../../ui/page/states.ts'
import { errorOfField } from '../../words/field-errors.ts'
import { EnforcePins } from './enforce-pins.tsx'
import { keepingHint, modeHints, pinningHints, pinnings } from './words.ts'

type Environment = Schema<'Environment'>

const modes = (['enforce', 'monitor'] as const).map((value) => ({ value, text: modeLooks[value].word }))

const pinningOptions = (['off', 'alert', 'enforce'] as const).map((value) => ({ value, text: pinnings[value].word }))

/** A slug that the name suggests. The server decides which slugs are valid. */
const slugOf = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 63)

/** Creates an environment, or changes the given one. */
export function EditEnvironment({ environment, onClose }: { environment?: Environment; onClose: () => void }) {
  const [name, setName] = useState(environment?.name ?? '')
  const [slug, setSlug] = useState<string | undefined>(environment?.slug)
  const [isProduction, setProduction] = useState(environment?.is_production ?? false)
  const [mode, setMode] = useState<Environment['governance_mode']>(environment?.governance_mode ?? 'enforce')
  const [pinning, setPinning] = useState<Environment['tool_pinning']>(environment?.tool_pinning ?? 'alert')
  const [keeps, setKeeps] = useState(environment?.keep_arguments_for_replay ?? false)
  const [asks, setAsks] = useState(false)
  const create = useWrite('createEnvironment')
  const update = useWrite('updateEnvironment')
  const { isPending, error } = environment ? update : create
  const body = {
    name,
    slug: slug ?? slugOf(name),
    is_production: isProduction,
    governance_mode: mode,
    tool_pinning: pinning,
    keep_arguments_for_replay: keeps,
  }
  const changes = environment && changesOf<typeof body>(environment, body)
  const save = async () => {
    if (environment) await update.mutateAsync({ path: { environment_id: environment.id }, body: changes ?? {} })
    else await create.mutateAsync({ body })
    tell(environment ? `Changed ${name}.` : `Created ${name}.`)
  }
  const submit = async () => {
    if (environment && pinning === 'enforce' && environment.tool_pinning !== 'enforce') {
      setAsks(true)
      return
    }
    await save()
    onClose()
  }
  const { of, rest } = errorOfField(error, ['name', 'slug', 'governance_mode', 'tool_pinning'])
  if (asks && environment)
    return <EnforcePins environment={environment} act={save} onDone={onClose} onBack={() => setAsks(false)} />
  return (
    <FormDialog
      title={environment ? `Change ${environment.name}` : 'Create an environment'}
      verb={environment ? 'Save' : 'Create environment'}
      act={submit}
      isBusy={isPending}
      fault={rest}
      missing={missingOf(changes)}
      onClose={onClose}
    >
      <Field label="Name" value={name} onChange={setName} error={of.name} maxLength={100} autoFocus />
      <Field
        label="Slug"
        value={slug ?? slugOf(name)}
        onChange={setSlug}
        error={of.slug}
        isMono
        maxLength={63}
        hint="Rules and scripts use it. Lower-case letters, digits and hyphens."
      />
      <SelectField
        label="Enforcement"
        value={mode}
        onChange={setMode}
        options={modes}
        error={of.governance_mode}
        hint={modeHints[mode]}
      />
      <SelectField
        label="Tool pinning"
        value={pinning}
        onChange={setPinning}
        options={pinningOptions}
        error={of.tool_pinning}
        hint={pinningHints[pinning]}
      />
      <Check
        label="Production"
        isOn={isProduction}
        onChange={setProduction}
        disabledBecause={whyNot(environment, 'updateEnvironment:is_production')}
        hint="Owners decide on the agents of a production environment, also on approvals that wait now. It cannot be deleted."
      />
      <Check label="Keep arguments for replay" isOn={keeps} onChange={setKeeps} hint={keepingHint(keeps)} />
    </FormDialog>
  )
}
