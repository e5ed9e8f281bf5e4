import type { CheckedResult, Decision } from '../../guard/guard.ts'
import { noNumbers, writeJson } from '../../json/written-numbers.ts'
import type { Passage } from '../mediation/check-message.ts'
import { checkText, withheldText } from '../mediation/inspect-server-text.ts'
import type { OpenCalls } from '../mediation/open-calls.ts'
import { readServerText } from '../mediation/pass-server-text.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { isObject } from '../messages/read-message.ts'

/** What becomes of a body. `errorFor` builds the error for a request in place of a body that must not pass. */
export type InspectedBody =
  | { readonly text: string; readonly errorFor: null }
  | { readonly errorFor: (id: JsonValue) => JsonObject }

/**
 * Gives the labels of the called tools to the session, and applies the content rules to a body that has no message, such as an error page.
 * Clients put such a body into the text of an error, which the model reads.
 */
export async function inspectBody(text: string, passage: Passage, calls: OpenCalls): Promise<InspectedBody> {
  if (text.trim() === '') return { text, errorFor: null }
  const { decisions } = calls
  const decision = decisions[0] ?? calls.newest
  const fault = labelsFault(passage, decisions)
  if (fault !== null) return { errorFor: (id) => withheldText(id, decision, fault) }
  if (!passage.guard.inspectsResults()) return { text, errorFor: null }
  const json = readServerText(text)
  const value = isObject(json?.value) || Array.isArray(json?.value) ? json.value : text
  const numbers = json?.numbers ?? noNumbers
  const checked: CheckedResult = await checkText(passage, decision, value, numbers)
  const { denied } = checked
  if (denied !== null) return { errorFor: (id) => withheldText(id, decision, denied) }
  if (checked.value === value) return { text, errorFor: null }
  return { text: typeof value === 'string' ? String(checked.value) : writeJson(checked.value, numbers), errorFor: null }
}

function labelsFault({ guard, server }: Passage, decisions: readonly Decision[]): string | null {
  if (decisions.length === 0) return guard.noteText(server, false)
  return decisions.map((decision) => guard.noteResult(decision)).find((fault) => fault !== null) ?? null
}
