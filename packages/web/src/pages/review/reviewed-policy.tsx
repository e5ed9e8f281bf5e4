import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { Copy, shortDigest } from '../../ui/actions/copy.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { PolicyLink } from '../../ui/page/policy-link.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { PolicyInWords } from '../../ui/texts/policy-in-words.tsx'
import { RecordTime } from '../../ui/texts/time.tsx'
import type { PolicyAt } from './judged.ts'
import css from './review.module.css'

/** One version of a policy: who saved it, its fields, and its rules in words. */
export function ReviewedPolicy({ at }: { at: PolicyAt }) {
  if (at.version === null)
    return (
      <p className={css.none}>
        The edge reported no version of{' '}
        <PolicyLink id={at.policy_id} version="current">
          the policy
        </PolicyLink>
        , so its rules cannot be shown.
      </p>
    )
  return <Version policyId={at.policy_id} version={at.version} />
}

function Version({ policyId, version }: { policyId: string; version: number }) {
  const { data, error, refetch } = useQuery(read('getPolicyVersion', { path: { policy_id: policyId, version } }))
  if (error) return <Failed error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const { snapshot, saved_by: by, saved_at: at, content_hash: hash } = data
  return (
    <>
      <KeyValues
        rows={[
          [
            'Policy',
            <PolicyLink key="policy" id={policyId} version={version}>
              <Name>{snapshot.name}</Name>
            </PolicyLink>,
          ],
          [
            'Version',
            <PolicyLink key="version" id={policyId} version={version}>
              Version {version}
            </PolicyLink>,
          ],
          [
            'Saved',
            <span key="saved">
              <RecordTime at={at} />, by <Name>{by.display_name}</Name>
            </span>,
          ],
          ['Content', <Copy key="hash" what="digest" value={`sha256:${hash}`} shown={shortDigest(hash)} />],
        ]}
      />
      <PolicyInWords snapshot={snapshot} />
    </>
  )
}
