import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { EnvironmentField } from '../../ui/fields/environment-field.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { policyPlace } from '../../ui/page/policy-place.ts'
import { errorOfField } from '../../words/field-errors.ts'

/** Asks for the name and the place of a new policy, and opens it. */
export function CreatePolicy({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [place, setPlace] = useState('')
  const create = useWrite('createPolicy')
  const navigate = useNavigate()
  const { of, rest } = errorOfField(create.error, ['name', 'environment_id'] as const)
  const submit = async () => {
    const { id, warnings = [] } = await create.mutateAsync({ body: { name, environment_id: place || null } })
    for (const { message } of warnings) tell(message)
    await navigate({ to: policyPlace(id, 'current').to as '/', replace: true })
  }
  return (
    <FormDialog
      title="Create a policy"
      verb="Create"
      act={submit}
      isBusy={create.isPending}
      fault={rest}
      onClose={onClose}
    >
      <p>
        The policy starts without rules. Calls that no rule matches are denied, until you add a rule that allows some.
      </p>
      <Field label="Name" value={name} onChange={setName} maxLength={200} error={of.name} autoFocus />
      <EnvironmentField
        label="For"
        value={place}
        onChange={setPlace}
        everywhere="every environment"
        error={of.environment_id}
      />
    </FormDialog>
  )
}
