import type { Decision } from '../../guard/guard.ts'
import { noNumbers } from '../../json/written-numbers.ts'
import type { Passage } from '../mediation/check-message.ts'
import { checkText } from '../mediation/inspect-server-text.ts'
import { dataLines, type SseEvent } from './sse-blocks.ts'

/** An id or a type of an event that is longer than this is left out. */
const longestField = 1000

/**
 * Returns a function that builds an event with the id, the type and the retry time of `event`, and with other data. Leaves out the id and the type
 * if content rules find something in them. Comments and unknown fields are always left out.
 */
export async function inspectFields(
  { id, type, retry }: Pick<SseEvent, 'id' | 'type' | 'retry'>,
  passage: Passage,
  decision: Decision | null,
): Promise<(data: string | null) => string> {
  const named = [...(type === 'message' ? [] : [type]), ...(id === null ? [] : [id])]
  const isClean = named.every((text) => text.length <= longestField) && (await areClean(named, passage, decision))
  const fields = [
    ...(isClean && type !== 'message' ? [`event: ${type}`] : []),
    ...(isClean && id !== null ? [`id: ${id}`] : []),
    ...(retry !== null && /^\d{1,9}$/.test(retry) ? [`retry: ${retry}`] : []),
  ]
  return (data) => {
    if (data === null && id === null && retry === null) return ':\n\n'
    return `${[...fields, ...(data === null ? [] : [dataLines(data)])].join('\n')}\n\n`
  }
}

async function areClean(texts: readonly string[], passage: Passage, decision: Decision | null): Promise<boolean> {
  if (texts.length === 0) return true
  const value = [...texts]
  const checked = await checkText(passage, decision, value, noNumbers)
  return checked.denied === null && checked.value === value
}
