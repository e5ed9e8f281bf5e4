import type { ContentBinding, ContentBindingsVersion, ContentPattern } from '../content.ts'
import type { Examples } from './example.ts'
import { ids, listOf } from './ids.ts'
import { user } from './people.ts'

const patternFields = {
  name: 'Project name',
  group: 'internal',
  kind: 'regex',
  expression: '(?i)project falcon',
} as const
const pattern: ContentPattern = {
  id: ids.pattern,
  ...patternFields,
  builtin: false,
  created_at: '2026-02-20T09:00:00.000Z',
}
const binding: ContentBinding = { group: 'secrets', on: 'results', action: 'redact' }

const version: ContentBindingsVersion = {
  version: 2,
  saved_by: { user_id: ids.user, display_name: user.display_name, email: user.email },
  saved_at: '2026-02-20T09:00:00.000Z',
  diff: { added: [binding], removed: [], patterns: [] },
}

export const contentExamples: Examples = {
  listContentPatterns: { response: { data: [pattern] } },
  createContentPattern: { request: patternFields, response: pattern },
  updateContentPattern: { request: { expression: '(?i)project falcon' }, response: pattern },
  testContentPatterns: {
    request: { text: 'We call it Project Falcon.' },
    response: { matches: [{ pattern_id: ids.pattern, start: 11, end: 25 }] },
  },
  getContentBindings: { response: { version: 2, bindings: [binding] } },
  replaceContentBindings: { request: { bindings: [binding] }, response: { version: 2, bindings: [binding] } },
  listContentBindingsVersions: { response: listOf(version) },
  getContentBindingsVersion: { response: { ...version, bindings: [binding], patterns: [] } },
  getContentKey: { response: { environment_id: ids.development, key: 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=' } },
}
