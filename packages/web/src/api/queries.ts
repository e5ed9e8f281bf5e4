import type { Answer, Input, OperationId } from '@mandate/sdk'
import { queryOptions, useMutation } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'

type InputArguments<O extends OperationId> =
  Record<never, never> extends Input<O> ? [input?: Input<O>] : [input: Input<O>]

// The compiler cannot tell what a call of an operation that it does not know needs. The exported functions check the input.
const call = <O extends OperationId>(operation: O, input: object) =>
  (client.call as (operation: O, input: object) => Promise<Answer<O>>)(operation, input)

/** A read of the API for `useQuery`. Its key begins with the id of the operation. */
export function read<O extends OperationId>(operation: O, ...[input]: InputArguments<O>) {
  return queryOptions<Answer<O>>({
    queryKey: [operation, input ?? {}],
    queryFn: ({ signal }) => call(operation, { ...(input as object), signal }),
  })
}

/** Makes the entries of these operations stale, and reads again those that are shown. */
export async function readAgain(...operations: readonly OperationId[]): Promise<void> {
  await Promise.all(operations.map((operation) => queryClient.invalidateQueries({ queryKey: [operation] })))
}

/**
 * A write of the API. `changes` names the reads whose answers it changes. The errors of the answer are those of the server.
 */
export function useWrite<O extends OperationId>(operation: O, changes: readonly OperationId[]) {
  return useMutation<Answer<O>, Error, Input<O>>({
    mutationFn: (input) => call(operation, input as object),
    onSettled: () => readAgain(...changes),
  })
}
