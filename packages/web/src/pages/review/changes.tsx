import type { Input } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { usePlaceOf } from '../../api/environments.ts'
import { read } from '../../api/queries.ts'
import { Diff } from '../../ui/texts/diff.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { hunksOf, hunksOfPolicies } from '../../words/rule-text.ts'
import type { PolicyAt } from './judged.ts'
import css from './review.module.css'

interface ChangesProps {
  /** What was approved before the review. */
  approved: PolicyAt
  judged: PolicyAt | null
}

/** The difference between the approved and the judged policy version, which may be of two policies. In words and as lines. */
export function ChangesSinceApproval({ approved, judged }: ChangesProps) {
  if (judged === null) return <p className={css.none}>The agent has not reported which policy it runs.</p>
  if (judged.version === null || approved.version === null)
    return <p className={css.none}>One of the two versions is not known, so there is no difference to show.</p>
  if (approved.policy_id !== judged.policy_id)
    return (
      <OtherPolicy
        before={{ policy_id: approved.policy_id, version: approved.version }}
        after={{ policy_id: judged.policy_id, version: judged.version }}
      />
    )
  if (approved.version === judged.version)
    return <p className={css.none}>Nothing changed: it is the approved version.</p>
  return <Changes policyId={judged.policy_id} version={judged.version} against={approved.version} />
}

function Changes({ policyId, version, against }: { policyId: string; version: number; against: number }) {
  const placeOf = usePlaceOf()
  const { data, error, refetch } = useQuery(
    read('getPolicyVersion', { path: { policy_id: policyId, version }, query: { against } }),
  )
  if (error) return <Failed error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const hunks = hunksOf(data, placeOf)
  if (hunks.length === 0) return <p className={css.none}>The two versions have the same content.</p>
  const whole = against === version - 1 ? data.change_class : undefined
  return <Diff hunks={hunks} whole={whole} beforeName={`Version ${against}`} afterName={`Version ${version}`} />
}

type Path = Input<'getPolicyVersion'>['path']

function OtherPolicy({ before, after }: { before: Path; after: Path }) {
  const placeOf = usePlaceOf()
  const was = useQuery(read('getPolicyVersion', { path: before }))
  const is = useQuery(read('getPolicyVersion', { path: after }))
  const failed = [was, is].find(({ error }) => error)
  if (failed?.error)
    return (
      <>
        <p className={css.none}>Another policy was approved before. One of the two policies cannot be read.</p>
        <Failed error={failed.error} onRetry={() => void failed.refetch()} />
      </>
    )
  if (!was.data || !is.data) return <Loading />
  const [old, now] = [was.data.snapshot, is.data.snapshot]
  const hunks = hunksOfPolicies(old, now, placeOf)
  return (
    <>
      <p className={css.none}>
        Another policy was approved before: <Name>{old.name}</Name>.{' '}
        {hunks.length === 0 && 'The two policies have the same settings and rules.'}
        {(old.dlp_enabled || now.dlp_enabled) &&
          ' Their content bindings are not compared: they are on the tab Content of each policy.'}
      </p>
      {hunks.length > 0 && (
        <Diff
          hunks={hunks}
          beforeName={`${old.name}, version ${before.version}`}
          afterName={`${now.name}, version ${after.version}`}
        />
      )}
    </>
  )
}
