import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

export type Search = Record<string, string | undefined>

interface PageLinkProps {
  /** A path of the dashboard, such as `/agents` or `/agents/<id>`. */
  to: string
  /** The filters of the page. */
  search?: Search
  children: ReactNode
  className?: string | undefined
  /** What the link says about its target, for its underline. */
  tone?: 'deny' | 'hold' | undefined
  /** True if the keys `J` and `K` move to this link. */
  isRow?: boolean
  /** True for the one of several links that is shown now. */
  isCurrent?: boolean
  /** True for a link of a dialog, so that *Back* does not open the dialog again. */
  replaces?: boolean
}

/** A link to a page of the dashboard. */
export function PageLink({ to, search, children, className, tone, isRow, isCurrent, replaces = false }: PageLinkProps) {
  return (
    // Paths with ids are strings here, so the router cannot check them.
    <Link
      to={to as '/'}
      search={(search ?? {}) as never}
      className={className}
      replace={replaces}
      data-tone={tone}
      data-row={isRow}
      // A link to a list is not the current page while one of its objects is shown.
      activeOptions={{ exact: true }}
      // The router marks links to the path that is shown, whatever their filters are.
      {...(isCurrent !== undefined && { 'aria-current': isCurrent, activeProps: {} })}
    >
      {children}
    </Link>
  )
}
