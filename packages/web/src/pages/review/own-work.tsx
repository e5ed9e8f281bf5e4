import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { useSession } from '../../session/session.ts'
import type { PolicyAt } from './judged.ts'

/** Tells people who saved the judged version that nobody else has checked it. */
export function OwnWork({ judged: { policy_id, version } }: { judged: PolicyAt }) {
  const { user } = useSession()
  const saved = useQuery({
    ...read('getPolicyVersion', { path: { policy_id, version: version ?? 1 } }),
    enabled: version !== null,
  })
  if (saved.data?.saved_by.user_id !== user.id) return null
  return <p>You saved this version yourself. Ask another person to approve it if two people must check it.</p>
}
