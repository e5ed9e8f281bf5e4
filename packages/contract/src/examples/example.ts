import type { OperationId } from '../endpoints.ts'

/**
 * An example of a request body and of the main success response. The OpenAPI document contains both, and tests check them against the
 * schemas. The server's sweeps send the requests with the ids of existing rows.
 */
export interface Example {
  request?: unknown
  response?: unknown
}

export type Examples = Partial<Record<OperationId, Example>>
