import type { Schema } from '@mandate/sdk'
import { counted } from '../../../words/words.ts'

type Binding = Schema<'ContentBinding'>

export const actionNames: Record<Binding['action'], string> = {
  flag: 'Flag: record the match',
  label: 'Label the session',
  redact: 'Redact the match',
  require_approval: 'Ask a person',
  deny: 'Deny',
}

export function actionText({ action, label }: Binding): string {
  return label ? `${actionNames[action]}: ${label}` : actionNames[action]
}

/** The name of what is bound. A pattern of an old version or of a draft may be gone. */
export function bindingName(
  { pattern_id: id, group }: Binding,
  patterns: readonly Pick<Schema<'ContentPattern'>, 'id' | 'name'>[],
): string {
  if (group !== undefined) return `Group ${group}`
  return patterns.find((pattern) => pattern.id === id)?.name ?? 'a pattern that was deleted'
}

const keyOf = ({ pattern_id: id, group, on, action, label }: Binding) => JSON.stringify([id, group, on, action, label])

/** The bindings in force that a draft does not keep as they are. Saving it can let content pass that they stop now. */
export function removedBindings(stored: readonly Binding[], draft: readonly Binding[]): Binding[] {
  const kept = new Set(draft.map(keyOf))
  return stored.filter((binding) => !kept.has(keyOf(binding)))
}

/** What a version of the bindings changed, in words. */
export function setSummary({ added, removed, patterns }: Schema<'ContentBindingsVersion'>['diff']): string {
  const parts = [
    added.length > 0 && counted(added.length, '# binding added', '# bindings added'),
    removed.length > 0 && counted(removed.length, '# binding removed', '# bindings removed'),
    ...patterns.map(({ name, change }) => `${name} ${change}`),
  ].filter((part) => part !== false)
  return parts.join(', ') || 'Nothing changed'
}
