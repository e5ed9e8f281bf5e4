import { useQuery } from '@tanstack/react-query'
import { read } from '../../../api/queries.ts'
import { PageLink } from '../../../ui/page/page-link.tsx'
import { counted } from '../../../words/words.ts'
import type { Policy } from '../document/document.ts'
import css from '../policy.module.css'

/** Says after a save how many agents get a version that nobody has approved. */
export function AfterSave({ policy }: { policy: Policy }) {
  const { data } = useQuery(read('getAgentFacets', { query: { policy_id: policy.id } }))
  // Drift is known only for agents that report what they run and have an approved version.
  const known = data?.drift.filter(({ key }) => key !== 'unknown') ?? []
  const running = known.reduce((sum, { count }) => sum + count, 0)
  if (running === 0) return null
  return (
    <p role="status" className={css.saved}>
      Version {policy.version} is saved and in force.{' '}
      {counted(running, '# running agent gets', '# running agents get', 10_000)} it without an approval, until a review
      approves it.{' '}
      <PageLink to="/reviews" search={{ status: 'pending' }}>
        Open the reviews
      </PageLink>
    </p>
  )
}
