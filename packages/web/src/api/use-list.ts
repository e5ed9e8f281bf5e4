import type { Answer, Input, OperationId } from '@mandate/sdk'
import { infiniteQueryOptions, queryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { client } from './client.ts'
import { readNextPage } from './read-next-page.ts'

interface Page {
  data: unknown[]
  total?: number
  offset?: number
  next_page_token?: string
  next_cursor?: string
  names?: Record<string, string>
}
type ListOperation = { [O in OperationId]: Answer<O> extends { data: unknown[] } ? O : never }[OperationId]
export type RowOf<O extends ListOperation> = Answer<O> extends { data: (infer Row)[] } ? Row : never

/** A list of the API that is read page by page. */
export interface List<Row> {
  /** The rows that were read. Undefined before the first page. */
  rows: Row[] | undefined
  /** How many rows there are. Undefined before the first page, and for a list that does not count its rows. */
  total: number | undefined
  /** Names of the objects whose ids are in the rows, by id. Empty without `include=names`. */
  names: Record<string, string>
  error: Error | null
  retry: () => void
  /** Reads the next page. Undefined after the last page. */
  readMore: (() => void) | undefined
  isReading: boolean
  /** True while the rows are those of the filter before. */
  isOld: boolean
}

interface Options<Row> {
  /** What is different in each row; `id` if it is left out. */
  keyOf?: (row: Row) => unknown
  /** True for a list that only `retry` and a new visit read again, because its rows would move otherwise. */
  isStill?: boolean
  /** False for a list that is not read yet. */
  enabled?: boolean
  /**
   * Reads the list again at this interval, in milliseconds, for values that change without an event. All pages are read, so a list of several pages
   * is read that many times less often.
   */
  againMs?: number
}

/** Reads a list by offset, page token or cursor. While another filter is read, the rows of the filter before stay. */
export function useList<O extends ListOperation>(
  operation: O,
  input: Input<O>,
  { keyOf = idOf, isStill = false, enabled = true, againMs }: Options<RowOf<O>> = {},
): List<RowOf<O>> {
  const found = useInfiniteQuery({
    ...listQuery(operation, input),
    enabled,
    refetchInterval: ({ state: { data } }) =>
      againMs !== undefined && data !== undefined && againMs * data.pages.length,
    placeholderData: (before, query) => (isSameOwner(query?.queryKey[2], input) ? before : undefined),
    ...(isStill && { staleTime: Number.POSITIVE_INFINITY, refetchOnMount: 'always' as const, meta: { isStill } }),
  })
  const [isReading, setReading] = useState(false)
  const readMore = () => {
    setReading(true)
    void readNextPage(found).finally(() => setReading(false))
  }
  const pages = found.data?.pages as Page[] | undefined
  // A table of many rows renders again only when they change.
  const key = useRef(keyOf)
  const { rows, names } = useMemo(
    () => ({
      rows: pages && distinct(pages.flatMap(({ data }) => data) as RowOf<O>[], key.current),
      names: Object.assign({}, ...(pages ?? []).map(({ names }) => names)) as Record<string, string>,
    }),
    [pages],
  )
  return {
    rows,
    total: pages?.at(-1)?.total,
    names,
    error: found.error,
    retry: () => void found.refetch(),
    readMore: found.hasNextPage ? readMore : undefined,
    isReading,
    isOld: found.isPlaceholderData,
  }
}

/** Whether a list would have a row without some of its parameters. Null if its first page cannot tell. Costs the server one row. */
export const anyRow = <O extends ListOperation>(operation: O, input: Input<O>, without: readonly string[]) => {
  const { query = {}, ...rest } = input as { query?: Record<string, unknown> }
  const { include: _, ...others } = query
  const size = 'page_size' in query ? { page_size: 1 } : { limit: 1 }
  const kept = Object.entries({ ...others, ...size }).filter(([name]) => !without.includes(name))
  const asked = { ...rest, query: Object.fromEntries(kept) }
  return queryOptions<boolean | null>({
    queryKey: [operation, 'any', asked],
    // A busy organization changes every second, and the list itself shows when rows appear.
    meta: { isStill: true },
    queryFn: async ({ signal }) => {
      const call = client.call as (operation: O, input: object) => Promise<Page>
      const page = await call(operation, { ...asked, signal })
      return page.data.length > 0 ? true : nextPage(page) === undefined ? false : null
    },
  })
}

function listQuery<O extends ListOperation>(operation: O, input: Input<O>) {
  return infiniteQueryOptions({
    queryKey: [operation, 'list', input],
    queryFn: ({ signal, pageParam }): Promise<Answer<O>> => {
      const { query, ...rest } = input as { query?: object }
      const call = client.call as (operation: O, input: object) => Promise<Answer<O>>
      return call(operation, { ...rest, query: { ...query, ...pageParam }, signal })
    },
    initialPageParam: {} as Record<string, unknown>,
    getNextPageParam: (page: Answer<O>) => nextPage(page as Page),
  })
}

function nextPage({ data, total, offset = 0, next_page_token, next_cursor }: Page) {
  if (next_page_token !== undefined) return { page_token: next_page_token }
  if (next_cursor !== undefined) return { cursor: next_cursor }
  const end = offset + data.length
  return total !== undefined && data.length > 0 && end < total ? { offset: end } : undefined
}

/** True if two reads ask for a list of the same object, such as the edges of one freeze. */
const isSameOwner = (a: unknown, b: unknown) => JSON.stringify(pathOf(a)) === JSON.stringify(pathOf(b))
const pathOf = (input: unknown) => (input as { path?: object } | undefined)?.path

const idOf = (row: unknown) => (row as { id: unknown }).id

/** A change between two reads can move a row to the next page, so the row would be there twice. */
const distinct = <Row>(rows: readonly Row[], keyOf: (row: Row) => unknown): Row[] => [
  ...new Map(rows.map((row) => [keyOf(row), row])).values(),
]
