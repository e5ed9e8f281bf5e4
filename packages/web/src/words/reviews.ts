import { isolated } from '../ui/texts/direction/isolated.ts'

/** "a change review". The kind is empty in an old entry. */
export function reviewOf(kind: string): string {
  const named = `${kind.replaceAll('_', ' ')} review`.trim()
  return `${/^[aeiou]/.test(named) ? 'an' : 'a'} ${named}`
}

/** Names the report after which Mandate opened or closed a review or a finding. Undefined if the actor is not an edge or an agent. */
export function afterReportOf({ type, name }: { type: string; name: string }): string | undefined {
  if (type === 'edge') return `after a report of the edge ${isolated(name)}`
  return type === 'agent' ? 'after a report of its edge' : undefined
}

/** Who may decide a review that is assigned to a role. */
export const deciders = { manager: 'managers and owners', owner: 'owners' } as const
