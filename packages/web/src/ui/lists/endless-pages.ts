import { type QueryFunctionContext, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

/** What an endless list remembers of each row that was read. */
export interface Listed {
  id: string
  name: string
}

export interface PageOf {
  data: readonly Listed[]
  next_page_token?: string | undefined
}

/** The read of one page. The token is undefined for the first page. */
// biome-ignore lint/suspicious/noExplicitAny: each operation has an error and a key of its own
export type PageQuery<P> = (token: string | undefined) => UseQueryOptions<P, Error, P, any>

/** A page of an endless list. */
export interface PageState {
  /** The token that reads the page. Undefined for the first page. */
  token: string | undefined
  rows: readonly Listed[]
  isRead: boolean
}

/** A page was read. `next` is the token of the page after it. */
export interface PageRead {
  index: number
  rows: readonly Listed[]
  next: string | undefined
}

export const firstPages: readonly PageState[] = [{ token: undefined, rows: [], isRead: false }]

/** The pages after a read. The server gives another token for the same next page at each read, so a new token alone does not make it an unread page. */
export function nextPages(pages: readonly PageState[], { index, rows, next }: PageRead): readonly PageState[] {
  const page = pages[index]
  if (!page) return pages
  const following = pages[index + 1]
  if (page.isRead && isSame(page.rows, rows) && following?.token === next) return pages
  const listed = rows.map(({ id, name }) => ({ id, name }))
  const before = [...pages.slice(0, index), { ...page, rows: listed, isRead: true }]
  if (next === undefined) return before
  return [...before, { ...(following ?? { rows: [], isRead: false }), token: next }, ...pages.slice(index + 2)]
}

const isSame = (before: readonly Listed[], after: readonly Listed[]) =>
  before.length === after.length && before.every(({ id, name }, at) => id === after[at]?.id && name === after[at]?.name)

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
