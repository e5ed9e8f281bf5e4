import type { OperationId } from '../endpoints.ts'

/**
 * A body to send and the body of the main success answer. They are in the OpenAPI document, and their tests hold them against the schemas.
 * The sweeps of the server send the requests, with the ids of rows that exist.
 */
export interface Example {
  request?: unknown
  response?: unknown
}

export type Examples = Partial<Record<OperationId, Example>>
