import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { PageLink } from '../../ui/page/page-link.tsx'
import { freezeOf } from './freeze-of.ts'
import type { Decision } from './story.ts'

/** Opens the freeze that denied the call, or the list if it is not among the newest. */
export function FreezeLink(decision: Decision) {
  const { data } = useQuery(read('listFreezes', { query: { limit: 50 } }))
  const freeze = data && freezeOf(decision, data.data)
  return freeze ? (
    <PageLink to={`/freezes/${freeze.id}`}>Open the freeze</PageLink>
  ) : (
    <PageLink to="/freezes">Open the freezes</PageLink>
  )
}
