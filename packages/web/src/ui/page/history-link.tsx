import { buttonClass } from '../actions/button.tsx'
import { PageLink } from './page-link.tsx'

/** Filters of the audit trail. The list then has only the entries about one object. */
export type HistoryOf = { agent_id: string } | { resource_type: string; resource_id: string }

interface HistoryLinkProps {
  of: HistoryOf
  /** The name of the object. For links in rows, so that screen readers can tell them apart. */
  name?: string
}

/** Opens the audit trail with the entries about one object: who changed it, and when. */
export function HistoryLink({ of, name }: HistoryLinkProps) {
  return (
    <PageLink to="/audit" search={of} className={`${buttonClass('plain')} on-screen`}>
      History{name !== undefined && <span className="hidden-text"> of {name}</span>}
    </PageLink>
  )
}
