import { useState } from 'react'
import { useAgentSearch } from '../../api/search-agents.ts'
import { type Picked, Picker } from '../../ui/fields/picker.tsx'

interface AgentPickerProps {
  agent: Picked | undefined
  onChange: (agent: Picked) => void
}

/** Finds an agent by its name while the reader types. */
export function AgentPicker({ agent, onChange }: AgentPickerProps) {
  const [search, setSearch] = useState('')
  const { agents, error, isLoading } = useAgentSearch(search, { most: 20 })
  return (
    <Picker
      label="Agent"
      picked={agent}
      onPick={onChange}
      items={agents}
      onSearch={setSearch}
      none="No agent has this name."
      fault={error?.message}
      isLoading={isLoading}
    />
  )
}
