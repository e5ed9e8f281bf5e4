import type { Guard, SentCheck } from '../../guard/guard.ts'
import type { JsonObject } from '../messages/json.ts'
import type { Log } from '../messages/log.ts'
import { newestCall } from './open-calls.ts'

interface Sending {
  readonly guard: Guard
  readonly server: string
  readonly log: Log
}

/**
 * Applies the content rules for arguments to a message of the client that is not a call, such as its answer to a question of the server. The
 * edge does not check that the server chose the id of an answer, so the id is inspected too.
 */
export async function inspectClientMessage(sending: Sending, message: JsonObject): Promise<SentCheck> {
  const { id, params, result, error } = message
  const sent = {
    ...(id != null && { id }),
    ...(params !== undefined && { params }),
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
  }
  return await inspectSent(sending, sent)
}

/** Applies the content rules for arguments to a value that the client sends besides calls. Matches are recorded with the newest call. */
export async function inspectSent(
  { guard, server, log }: Sending,
  value: JsonObject,
  isRepeated = false,
): Promise<SentCheck> {
  if (!guard.inspectsArguments() || Object.keys(value).length === 0) {
    return { denied: null, holds: () => Object.keys(value).length === 0 || !guard.inspectsArguments() }
  }
  try {
    return await guard.checkSent(newestCall(guard, server), value, isRepeated)
  } catch (error) {
    log.warn(
      { err: error, server },
      'the edge could not apply the content rules to a message of a client, so the tool server does not get it',
    )
    return { denied: 'the edge could not apply the content rules', holds: () => true }
  }
}
