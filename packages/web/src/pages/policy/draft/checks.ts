import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { read } from '../../../api/queries.ts'
import { useSettled } from '../../../ui/browser/use-settled.ts'
import type { Document } from '../document/document.ts'
import type { ReplayDays } from '../document/replay.ts'
import { type Fault, faultsOf } from './faults.ts'

/** The server's check of a draft, a moment after the last change. */
export function useFaults(draft: Document | undefined): { faults: readonly Fault[]; isChecked: boolean } {
  const settled = useSettled(draft)
  const { data, error } = useQuery({
    ...read('validatePolicy', { body: (settled ?? {}) as never }),
    enabled: settled !== undefined,
    retry: false,
    gcTime: 10_000,
  })
  const faults = useMemo(() => (error ? faultsOf(error) : []), [error])
  if (draft === undefined || settled !== draft) return { faults: [], isChecked: false }
  return { faults, isChecked: data !== undefined }
}

/**
 * What the draft would have decided in the last days of the calls that the policy decided. @param agentId the only agent whose calls count
 */
export function useImpact(
  policyId: string,
  draft: Partial<Document> | undefined,
  isValid: boolean,
  days: ReplayDays,
  agentId?: string,
) {
  return useQuery({
    ...read('simulatePolicy', {
      path: { policy_id: policyId },
      body: {
        replay: { days: Number(days), ...(agentId !== undefined && { agent_id: agentId }) },
        ...(draft && { document: draft as never }),
      },
    }),
    enabled: draft !== undefined && isValid,
    placeholderData: keepPreviousData,
  })
}
