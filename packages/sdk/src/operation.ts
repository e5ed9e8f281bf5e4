import type { components, operations } from './schema.generated.ts'

/** A named schema of the API, such as `Schema<'Agent'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

/** Operations for programs. Excludes operations that receive browser forms. */
export type OperationId = {
  [O in keyof operations]: operations[O] extends {
    requestBody: { content: { 'application/x-www-form-urlencoded': unknown } }
  }
    ? never
    : O
}[keyof operations]

type SuccessStatus = 200 | 201 | 202 | 204 | 302 | 303

type PathOf<O extends OperationId> = operations[O]['parameters'] extends { path: infer P } ? { path: P } : unknown
type QueryOf<O extends OperationId> = operations[O]['parameters'] extends { query: infer Q }
  ? { query: Q }
  : operations[O]['parameters'] extends { query?: infer Q }
    ? [Exclude<Q, undefined>] extends [never]
      ? unknown
      : { query?: Q }
    : unknown
type BodyOf<O extends OperationId> = operations[O] extends { requestBody: { content: infer C } }
  ? { body: C[keyof C] }
  : operations[O] extends { requestBody?: { content: infer C } }
    ? { body?: C[keyof C] }
    : unknown

/** Input of an operation: its `path`, `query` and `body`. */
export type Input<O extends OperationId> = PathOf<O> & QueryOf<O> & BodyOf<O>

type ContentOf<A> = A extends { content: { 'application/json': infer J } }
  ? J
  : A extends { content: Record<string, infer T> }
    ? T
    : undefined

/** Response body of a successful operation; undefined if the response has no body. */
export type Answer<O extends OperationId> = ContentOf<
  operations[O]['responses'][keyof operations[O]['responses'] & SuccessStatus]
>
