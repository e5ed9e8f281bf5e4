import type { Input, Schema } from '@mandate/sdk'

type Agent = Schema<'Agent'>
export type AgentChange = Input<'updateAgent'>['body']

/** What people write about an agent, as the form shows it. */
export interface AgentDraft {
  name: string
  description: string
  framework: string
  model: string
  /** One tool in each line. */
  tools: string
  metadata: readonly (readonly [name: string, value: string])[]
  owner_user_id: string | null
}

export const draftOf = (agent: Agent): AgentDraft => ({
  name: agent.name,
  description: agent.description,
  framework: agent.framework,
  model: agent.model,
  tools: agent.tools.join('\n'),
  metadata: Object.entries(agent.metadata),
  owner_user_id: agent.owner_user_id,
})

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** Entries without a name and a value are left out: they are rows that nobody filled in. */
const recordOf = (entries: AgentDraft['metadata']) =>
  Object.fromEntries(entries.filter(([name, value]) => name !== '' || value !== ''))

const texts = ['name', 'description', 'framework', 'model'] as const

/** Returns the fields that differ from the agent. A field that the person did not change is left out, so a change by another person stays. */
export function changesOf(agent: Agent, draft: AgentDraft): AgentChange {
  const change: AgentChange = {}
  for (const field of texts) if (draft[field] !== agent[field]) change[field] = draft[field]
  const tools = linesOf(draft.tools)
  if (tools.join('\n') !== agent.tools.join('\n')) change.tools = tools
  const metadata = recordOf(draft.metadata)
  if (JSON.stringify(metadata) !== JSON.stringify(agent.metadata)) change.metadata = metadata
  if (draft.owner_user_id !== null && draft.owner_user_id !== agent.owner_user_id)
    change.owner_user_id = draft.owner_user_id
  return change
}
