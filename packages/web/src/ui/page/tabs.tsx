import { useLinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Search } from './page-link.tsx'
import css from './tabs.module.css'

export interface Tab {
  name: string
  to: string
  search?: Search
  /** The number beside the name. */
  count?: ReactNode
  isOpen: boolean
}

/** Views of one page. Each view is a link, so it can be sent to a colleague. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav aria-label={label} className={css.tabs}>
      {tabs.map((tab) => (
        <TabLink key={tab.name} {...tab} />
      ))}
    </nav>
  )
}

function TabLink({ name, to, search, count, isOpen }: Tab) {
  // The router would mark every link to this path, because the views of a page share it.
  const link = useLinkProps({ to: to as '/', search: (search ?? {}) as never })
  return (
    <a {...link} aria-current={isOpen ? 'page' : undefined}>
      {name}
      {count !== undefined && <span className={css.count}>{count}</span>}
    </a>
  )
}
