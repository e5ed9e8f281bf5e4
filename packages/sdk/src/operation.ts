import type { components, operations } from './schema.generated.ts'

/** What the interface calls things, such as `Schema<'Agent'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

/** Operations that take JSON: those that a browser's form is sent to are not for programs. */
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

/** What a call of the operation takes: `path`, `query` and `body`, as far as it has them. */
export type Input<O extends OperationId> = PathOf<O> & QueryOf<O> & BodyOf<O>

type ContentOf<A> = A extends { content: { 'application/json': infer J } }
  ? J
  : A extends { content: Record<string, infer T> }
    ? T
    : undefined

/** What the operation answers when it succeeds; undefined where the answer has no body. */
export type Answer<O extends OperationId> = ContentOf<
  operations[O]['responses'][keyof operations[O]['responses'] & SuccessStatus]
>
