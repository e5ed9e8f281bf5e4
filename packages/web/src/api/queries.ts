import { type Answer, type Input, MandateError, type OperationId } from '@mandate/sdk'
import { type Query, queryOptions, useMutation } from '@tanstack/react-query'
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

/** True if the server does not know the object, or if the id is no id. */
export const isNone = (error: Error | null) => error instanceof MandateError && [400, 404].includes(error.status)

/** Events do not bring such an object into being. Nobody has read it. */
const isOfNone = ({ state: { data, error } }: Query) => data === undefined && isNone(error)

/** Makes the entries of these operations stale, and reads again those that are shown. */
export async function readAgain(...operations: readonly OperationId[]): Promise<void> {
  await makeStale((query) => operations.includes(query.queryKey[0] as OperationId) && !isOfNone(query))
}

/** Operations that compute something and change nothing. Their answers can take seconds, so nobody waits for them. */
const computes = /^(simulate|preview|validate|replay|test)/
const ends = /^(delete|remove|disconnect|revoke(?!UserSessions))/
/** The ids of what this tab ended. Its page or dialog is still shown for a moment, and the server would refuse to read it. */
const ended = new Set<unknown>()
const endedMs = 5_000
/** How long the answer to a write waits for the reads of the page, which repeat while the server is busy. */
const longestWaitMs = 2_000
/** The other tabs of this browser show the same data. */
const writes = new BroadcastChannel('mandate writes')
// A page that nobody looks at is read again when it is shown.
writes.addEventListener('message', () => void makeStale(undefined, document.hidden ? 'none' : 'active'))

type Path = Record<string, unknown> | undefined

const isOfEnded = ({ queryKey }: Query) =>
  Object.values((queryKey.at(-1) as { path?: Path } | undefined)?.path ?? {}).some((id) => ended.has(id))

/** Makes entries stale and reads again those that are shown, except those that only their reader reads again. */
export function makeStale(isMeant: (query: Query) => boolean = () => true, refetchType: 'active' | 'none' = 'active') {
  // A list without rows is not still: its read failed, or has not ended.
  const isStill = ({ meta, state }: Query) => meta?.isStill === true && state.data !== undefined
  const predicate = (query: Query) => !isStill(query) && !isOfEnded(query) && isMeant(query)
  return queryClient.invalidateQueries({ predicate, refetchType })
}

/**
 * Reads again everything that the page shows, and makes all else stale, here and in the other tabs. Which answers a write changes is not listed
 * anywhere: a renamed environment shows on the pages of agents, keys and edges, and a list would miss one of them.
 */
export async function readAfterWrite(operation: OperationId, path?: Path): Promise<void> {
  writes.postMessage('')
  if (path && ends.test(operation)) {
    const id = Object.values(path).at(-1)
    ended.add(id)
    setTimeout(() => ended.delete(id), endedMs)
  }
  const isComputed = ({ queryKey: [read] }: Query) => computes.test(read as string)
  void makeStale(isComputed)
  const reads = makeStale((query) => !isComputed(query))
  await Promise.race([reads, new Promise((resolve) => setTimeout(resolve, longestWaitMs))])
}

/** A save names the version that it replaces, so that the server refuses it if another person was first. */
type WriteInput<O extends OperationId> = Input<O> & { ifMatch?: number }

/** Writes, and lets the pages follow. The errors are those of the server. */
export async function write<O extends OperationId>(operation: O, input: WriteInput<O>): Promise<Answer<O>> {
  const { path } = input as { path?: Path }
  if (computes.test(operation)) return call(operation, input as object)
  try {
    const answer = await call(operation, input as object)
    await readAfterWrite(operation, path)
    return answer
  } catch (error) {
    // The page shows what is not so any more, or nobody knows what became of the write.
    const status = error instanceof MandateError ? error.status : 0
    const reads = unrelated.includes(status) ? undefined : readAfterWrite(operation)
    if (outrun.includes(status)) await reads
    throw error
  }
}

/** The server refused because of the caller, whatever the page shows. */
const unrelated = [401, 429]
/** Somebody else was first. The page compares what they saved. */
const outrun = [409, 412]

/** A write of the API for a component, with its state and its error. */
export function useWrite<O extends OperationId>(operation: O) {
  return useMutation<Answer<O>, Error, WriteInput<O>>({ mutationFn: (input) => write(operation, input) })
}
