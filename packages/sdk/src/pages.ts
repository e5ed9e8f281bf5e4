import type { CallOptions, Client } from './client.ts'
import type { Answer, Input, OperationId } from './operation.ts'

/** Operations that return a page of a list. */
export type ListId = {
  [O in OperationId]: Answer<O> extends { data: unknown[] } ? O : never
}[OperationId]

type ItemOf<O extends ListId> = Answer<O> extends { data: (infer T)[] } ? T : never
type ListInput<O extends ListId> = Input<O> & CallOptions

/** A page of a list: by offset, page token or cursor. */
export interface Page {
  data: unknown[]
  total?: number
  offset?: number
  next_page_token?: string
  next_cursor?: string
}

/**
 * Iterates over all items of a list and requests pages as needed. A concurrent change can move items between the pages of an offset
 * list, so each item is returned only once. Lists with a page token or cursor do not have this problem.
 */
export async function* eachOf<O extends ListId>(
  client: Client,
  operation: O,
  ...[input]: Record<never, never> extends Input<O> ? [input?: ListInput<O>] : [input: ListInput<O>]
): AsyncGenerator<ItemOf<O>, void> {
  const seen = new Set<unknown>()
  let query: Record<string, unknown> = { ...(input as { query?: Record<string, unknown> } | undefined)?.query }
  for (;;) {
    const page = (await client.call(operation, { ...input, query } as never)) as Page
    for (const item of page.data) {
      if (page.offset !== undefined) {
        const { id } = item as { id?: unknown }
        if (id !== undefined && seen.has(id)) continue
        seen.add(id)
      }
      yield item as ItemOf<O>
    }
    const next = nextPage(page)
    if (!next) return
    query = { ...query, ...next }
  }
}

/** Query parameters of the next page; undefined after the last page. */
export function nextPage({
  data,
  total,
  offset = 0,
  next_page_token,
  next_cursor,
}: Page): Record<string, unknown> | undefined {
  if (next_page_token !== undefined) return { page_token: next_page_token }
  if (next_cursor !== undefined) return { cursor: next_cursor }
  const end = offset + data.length
  return total !== undefined && data.length > 0 && end < total ? { offset: end } : undefined
}
