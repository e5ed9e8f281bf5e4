import type { Schema } from '@mandate/sdk'
import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { SelectField } from '../../ui/fields/field.tsx'
import { nameOf, roleHints, roleWords } from './words.ts'

type User = Schema<'User'>

const roles: readonly User['role'][] = ['viewer', 'member', 'manager', 'owner']

/** Roles as the choices of a field. */
export const roleChoices = (without: readonly User['role'][] = []) =>
  roles.filter((role) => !without.includes(role)).map((role) => ({ value: role, text: roleWords[role] }))

export function ChangeRole({ user, onClose }: { user: User; onClose: () => void }) {
  const write = useWrite('updateUser')
  const [role, setRole] = useState(user.role)
  const mayBeOwner = whyNot(user, 'updateUser:owner') === undefined
  return (
    <Confirm
      title={`Change the role of ${nameOf(user)}?`}
      verb="Change role"
      missing={role === user.role ? 'Choose another role first.' : undefined}
      onClose={onClose}
      act={async () => {
        await write.mutateAsync({ path: { user_id: user.id }, body: { role } })
        tell(`${nameOf(user)} is now ${roleWords[role].toLowerCase()}.`)
      }}
    >
      <SelectField
        label="Role"
        value={role}
        onChange={setRole}
        options={roleChoices(mayBeOwner || user.role === 'owner' ? [] : ['owner'])}
        hint={roleHints[role]}
      />
      <p>The sessions of this person end with the change. They sign in again and have the new role.</p>
    </Confirm>
  )
}
