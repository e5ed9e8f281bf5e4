import { useState } from 'react'
import { useEnvironments } from '../../api/environments.ts'
import { useWrite } from '../../api/queries.ts'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { Check } from '../../ui/fields/check.tsx'
import { pinEffects, type Tool, whyNotKeep } from './words.ts'

/** Pins a definition, in the place of the other pins or beside them. */
export function PinDialog({ tool, hash, onClose }: { tool: Tool; hash: string; onClose: () => void }) {
  const { environments } = useEnvironments()
  const pinning = environments?.find(({ id }) => id === tool.environment_id)?.tool_pinning
  const [keepsOthers, setKeepsOthers] = useState(false)
  const pin = useWrite('pinTool')
  const others = tool.pinned_hashes
  return (
    <Confirm
      title={`Pin this definition of ${tool.tool}?`}
      verb="Pin"
      onClose={onClose}
      act={async () => {
        const hashes = keepsOthers ? [...others, hash] : [hash]
        await pin.mutateAsync({ path: { tool_id: tool.id }, body: { definition_hashes: hashes } })
        tell(`Pinned ${tool.tool}.`)
      }}
    >
      <p>A pin says that you have read the definition and agree with it. Edges learn it at once.</p>
      {pinning && <p>{pinEffects[pinning]}</p>}
      {tool.state === 'blocked' && <p>The tool stays blocked.</p>}
      {others.length > 0 && (
        <Check
          label="Keep the definitions that are pinned now"
          isOn={keepsOthers}
          onChange={setKeepsOthers}
          disabledBecause={whyNotKeep(tool)}
          hint="For servers that declare different definitions to different agents."
        />
      )}
    </Confirm>
  )
}
