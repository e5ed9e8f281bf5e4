import { type QueryFunctionContext, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

export interface PageOf {
  data: readonly unknown[]
  next_page_token?: string | undefined
}

/** The read of one page. The token is undefined for the first page. */
// biome-ignore lint/suspicious/noExplicitAny: each operation has an error and a key of its own
export type PageQuery<P> = (token: string | undefined) => UseQueryOptions<P, Error, P, any>

/** A page of an endless list. */
export interface PageState {
  /** The token that reads the page. Undefined for the first page. */
  token: string | undefined
  rows: number
  isRead: boolean
}

/** A page was read. `next` is the token of the page after it. */
export interface PageRead {
  index: number
  rows: number
  next: string | undefined
}

export const firstPages: readonly PageState[] = [{ token: undefined, rows: 0, isRead: false }]

/** The pages after a read. The server gives another token for the same next page at each read, so a new token alone does not make it an unread page. */
export function nextPages(pages: readonly PageState[], { index, rows, next }: PageRead): readonly PageState[] {
  const page = pages[index]
  if (!page) return pages
  const following = pages[index + 1]
  if (page.isRead && page.rows === rows && following?.token === next) return pages
  const before = [...pages.slice(0, index), { ...page, rows, isRead: true }]
  if (next === undefined) return before
  return [...before, { ...(following ?? { rows: 0, isRead: false }), token: next }, ...pages.slice(index + 2)]
}

/** Reads one page. Its key has no token, because the server gives another token for the same page at each read. */
export function usePage<P extends PageOf>(pageQuery: PageQuery<P>, index: number, token: string | undefined) {
  const { data, error, refetch } = useQuery<{ page: P; token: string | undefined }>({
    queryKey: [...pageQuery(undefined).queryKey, 'page', index],
    queryFn: async (context) => {
      const readPage = pageQuery(token).queryFn as (context: QueryFunctionContext) => P | Promise<P>
      return { page: await readPage(context), token }
    },
  })
  // The page before was read again, so this page may begin at another row.
  const isOld = data !== undefined && data.token !== token
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new token reads the page once
  useEffect(() => {
    if (isOld) void refetch()
  }, [isOld, token])
  return { data: data?.page, error, refetch }
}
