import type { UseInfiniteQueryResult } from '@tanstack/react-query'

/** How often the read of a page begins again. */
const mostAttempts = 5

type Pages = Pick<UseInfiniteQueryResult<{ pages: unknown[] }>, 'data' | 'fetchNextPage'>

/** Reads the next page. An event may read the list again meanwhile, which ends the read of the page. Then it begins again. */
export async function readNextPage({ data, fetchNextPage }: Pages): Promise<void> {
  const before = data?.pages.length ?? 0
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    // A read of the list that runs would not be done otherwise, although the list has changed.
    const after = await fetchNextPage({ cancelRefetch: false })
    if (after.isError || !after.hasNextPage || (after.data?.pages.length ?? 0) > before) return
  }
}
