import { isolated } from '../ui/texts/direction/isolated.ts'
import { counted } from './words.ts'

type Details = Readonly<Record<string, unknown>>

const nameOr = (name: unknown) => (typeof name === 'string' && name !== '' ? isolated(name) : 'nobody')

/** What an entry `agent.updated` changed, such as "name, owner (Petra, was Bob)". Empty if the entry does not say it. */
export function changedOfAgent(details: Details): string {
  const { fields, old_owner_name: before, new_owner_name: after } = details
  if (!Array.isArray(fields)) return ''
  const owner = after === undefined ? 'owner' : `owner (${nameOr(after)}, was ${nameOr(before)})`
  return fields.map((field) => (field === 'owner_user_id' ? owner : String(field))).join(', ')
}

const environmentFields: Readonly<Record<string, string>> = {
  name: 'name',
  slug: 'slug',
  is_production: 'production',
  governance_mode: 'mode',
  tool_pinning: 'tool pinning',
  keep_arguments_for_replay: 'arguments kept for replay',
}
const wordOf = (value: unknown) => (value === true ? 'on' : value === false ? 'off' : isolated(String(value)))

/** What an entry `environment.updated` changed, such as "production (on, was off)". Empty if the entry does not say it. */
export function changedOfEnvironment({ changes, approvals_assigned_to_owners: assigned }: Details): string {
  if (!Array.isArray(changes)) return ''
  const told = changes.map(({ field, from, to }: { field: string; from: unknown; to: unknown }) => {
    return `${environmentFields[field] ?? field} (${wordOf(to)}, was ${wordOf(from)})`
  })
  const approvals =
    typeof assigned === 'number'
      ? `; ${counted(assigned, '# pending approval is', '# pending approvals are')} assigned to owners`
      : ''
  return `${told.join(', ')}${approvals}`
}
