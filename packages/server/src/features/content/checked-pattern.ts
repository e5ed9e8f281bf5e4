import { compileExpression, InvalidExpression } from '@mandate/content/expression'
import type { ContentPatternUpdate } from '@mandate/contract/content'
import { invalid } from '../../refusal.ts'
import type { PatternRow } from './pattern-queries.ts'

type Fields = Pick<PatternRow, 'name' | 'group' | 'kind' | 'expression' | 'words'>

/**
 * Returns the fields of a pattern after a change. A pattern has either an expression or words.
 * @throws 400 that says which field is wrong
 */
export function checkedPattern(before: Fields | null, sent: ContentPatternUpdate): Fields {
  const { name = '', group = '', kind = 'regex' } = { ...before, ...withoutUndefined(sent) }
  if (kind === 'regex' && sent.words !== undefined) throw invalid('words: must not be sent for the kind regex')
  if (kind === 'words' && sent.expression !== undefined)
    throw invalid('expression: must not be sent for the kind words')
  const expression = kind === 'regex' ? (sent.expression ?? before?.expression ?? null) : null
  const words = kind === 'words' ? (sent.words ?? before?.words ?? null) : null
  if (kind === 'regex') checkExpression(expression)
  if (kind === 'words' && words === null) throw invalid('words: is required for the kind words')
  return { name, group, kind, expression, words }
}

function checkExpression(expression: string | null): void {
  if (expression === null) throw invalid('expression: is required for the kind regex')
  try {
    compileExpression(expression)
  } catch (error) {
    if (error instanceof InvalidExpression) throw invalid(`expression: ${error.message}`)
    throw error
  }
}

function withoutUndefined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>
}
