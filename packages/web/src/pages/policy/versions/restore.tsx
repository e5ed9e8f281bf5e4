import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { usePlaceOf } from '../../../api/environments.ts'
import { read, write } from '../../../api/queries.ts'
import { whyNot } from '../../../api/why-not.ts'
import { Button } from '../../../ui/actions/button.tsx'
import { Confirm } from '../../../ui/dialogs/dialog.tsx'
import { tell } from '../../../ui/dialogs/toast.tsx'
import { Diff } from '../../../ui/texts/diff.tsx'
import { Failed, Loading } from '../../../ui/texts/notes.tsx'
import { hunksOf } from '../../../words/rule-text.ts'
import { documentOf, type Policy } from '../document/document.ts'
import { shortReplay } from '../document/replay.ts'
import { looseningOf } from '../draft/loosening.ts'
import { Effects } from '../draft/save.tsx'
import css from '../policy.module.css'
import { draftSentence } from '../rules/words.ts'

interface RestoreProps {
  policy: Policy
  version: number
  hasDraft: boolean
}

/** Brings an earlier version back. Shows first what would change. */
export function Restore({ policy, version, hasDraft }: RestoreProps) {
  // The policy that the dialog compares. If another person saves meanwhile, the server refuses the restore.
  const [seen, setSeen] = useState<Policy>()
  const act = async (ifMatch: number) => {
    const path = { policy_id: policy.id, version }
    const { version: saved } = await write('restorePolicyVersion', { path, ifMatch })
    tell(`Restored version ${version} as version ${saved}.`)
  }
  return (
    <>
      <Button
        onPress={() => setSeen(policy)}
        disabledBecause={
          whyNot(policy, 'restorePolicyVersion') ?? (hasDraft ? 'Save or discard your draft first.' : undefined)
        }
      >
        Restore
      </Button>
      {seen && (
        <Confirm
          title={`Restore version ${version}?`}
          verb="Restore"
          isWide
          act={() => act(seen.version)}
          onClose={() => setSeen(undefined)}
        >
          <p>
            Its rules and fields become version {seen.version + 1}, which is in force at once. Version {seen.version}{' '}
            stays in the list.
          </p>
          <WhatChanges policy={seen} version={version} />
        </Confirm>
      )}
    </>
  )
}

/** What the restore changes in the policy, and in the calls of the last days. */
function WhatChanges({ policy, version }: Omit<RestoreProps, 'hasDraft'>) {
  const placeOf = usePlaceOf()
  const path = { policy_id: policy.id, version }
  const target = useQuery(read('getPolicyVersion', { path, query: { against: policy.version } }))
  if (target.error) return <Failed error={target.error} onRetry={() => void target.refetch()} />
  if (!target.data) return <Loading rows={4} />
  const document = documentOf(target.data.snapshot)
  const hunks = hunksOf(target.data, placeOf)
  if (hunks.length === 0) return <p>The two versions have the same content.</p>
  return (
    <>
      <Effect policyId={policy.id} document={document} />
      <section
        className={css.restore}
        aria-label="What the restore changes"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the difference where it is higher than its place
        tabIndex={0}
      >
        <Diff hunks={hunks} beforeName={`Version ${policy.version}`} afterName={`Version ${version}`} />
      </section>
    </>
  )
}

function Effect({ policyId, document }: { policyId: string; document: ReturnType<typeof documentOf> }) {
  const { data, error } = useQuery(
    read('simulatePolicy', {
      path: { policy_id: policyId },
      body: { replay: { days: Number(shortReplay) }, document: document as never },
    }),
  )
  if (error) return <p>The impact could not be computed: {error.message}</p>
  if (!data?.replay) return <Loading rows={1} />
  const looser = looseningOf(data.replay)
  return (
    <div role="status">
      {looser ? (
        <>
          <p>
            <b>This restore allows more.</b>
          </p>
          <Effects sentences={looser} />
        </>
      ) : (
        <p>{draftSentence(data.replay, 'the restore')}</p>
      )}
    </div>
  )
}
