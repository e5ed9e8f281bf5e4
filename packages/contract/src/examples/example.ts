import type { OperationId } from '../endpoints.ts'

/**
 * An example of a request body and of the main success response. The OpenAPI document contains the two examples, and tests
 * check them against the schemas. The server's sweeps (tests that call every endpoint) send the request bodies with the ids of
 * existing rows.
 */
export interface Example {
  request?: unknown
  response?: unknown
}

export type Examples = Partial<Record<OperationId, Example>>
