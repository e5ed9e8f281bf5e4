import type { OperationId } from '@mandate/sdk'
import { queryClient } from '../api/query-client.ts'

const fewPages = 2
const msOfPage = 2_000

/**
 * Whether a list of this many pages must wait before an event reads it again. All its pages are read one after another, so a long list would use up
 * the requests that the person has a minute.
 */
export const mustWait = (pages: number, ageMs: number): boolean => pages > fewPages && ageMs < pages * msOfPage

/** True if a shown list of the operation has many pages that were read a moment ago. */
export function isTooEarly(operation: OperationId): boolean {
  const lists = queryClient.getQueryCache().findAll({ queryKey: [operation, 'list'], type: 'active' })
  return lists.some(({ state: { data, dataUpdatedAt, fetchStatus } }) => {
    const { pages = [] } = (data ?? {}) as { pages?: unknown[] }
    // A read that runs would begin again.
    const age = fetchStatus === 'fetching' ? 0 : Date.now() - dataUpdatedAt
    return mustWait(pages.length, age)
  })
}

/** Lets the operations be read when the page is shown again. */
export async function markStale(operations: readonly OperationId[]): Promise<void> {
  await Promise.all(
    operations.map((operation) => queryClient.invalidateQueries({ queryKey: [operation], refetchType: 'none' })),
  )
}
