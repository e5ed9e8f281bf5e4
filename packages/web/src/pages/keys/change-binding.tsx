import type { Schema } from '@mandate/sdk'
import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { EnvironmentField } from '../../ui/fields/environment-field.tsx'

type ApiKey = Schema<'ApiKey'>

/** Binds a key to an environment, or lets it work in the whole organization. */
export function ChangeBinding({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const write = useWrite('bindApiKey')
  const current = apiKey.environment_id ?? ''
  const [environment, setEnvironment] = useState(current)
  const mayBeEverywhere = whyNot(apiKey, 'bindApiKey:organization') === undefined || !apiKey.environment_id
  return (
    <Confirm
      title={`Change the binding of ${apiKey.name}?`}
      verb="Change binding"
      missing={environment === current ? 'Choose another place first.' : undefined}
      onClose={onClose}
      act={async () => {
        await write.mutateAsync({ path: { key_id: apiKey.id }, body: { environment_id: environment || null } })
        tell(`Changed the binding of ${apiKey.name}.`)
      }}
    >
      <EnvironmentField
        label="Works in"
        value={environment}
        onChange={setEnvironment}
        {...(mayBeEverywhere && { everywhere: 'The whole organization' })}
      />
      <p>The key itself stays the same. Calls outside of its environment are refused from now on.</p>
    </Confirm>
  )
}
