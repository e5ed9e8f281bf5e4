import { EndedDelegations } from '@mandate/contract/delegations'
import { isOlder, type ListParts } from '../carry/signed-list.ts'
import { isSigned } from '../carry/signing-keys.ts'
import { type EndedSet, endedSetOf } from './ended-set.ts'

/** Thrown if the edge does not accept a list of ended delegations. */
export class EndedRefused extends Error {
  override readonly name = 'EndedRefused'
}

/**
 * Fetches the ended delegations of the environment: what ended since `held`, or everything.
 * @throws EndedRefused if the list is forged, older than `held`, or of another tenant; also the errors of `ControlPlane`
 */
export async function fetchEnded(parts: ListParts, held: EndedSet | null, signal: AbortSignal): Promise<EndedSet> {
  const list = await readList(parts, held?.version ?? 0, signal)
  // `since` counts versions of one environment. The agent may have moved to another one.
  const isOther = held !== null && list.environment_id !== held.environmentId
  if (isOther && list.since > 0) return keepNewer(held, endedSetOf(null, await readList(parts, 0, signal)))
  return keepNewer(held, endedSetOf(held, list))
}

function keepNewer(held: EndedSet | null, found: EndedSet): EndedSet {
  if (held !== null && isOlder(found, held))
    throw new EndedRefused(`the list is version ${found.version}, older than version ${held.version}`)
  return found
}

async function readList(
  { plane, keys, tenantId }: ListParts,
  since: number,
  signal: AbortSignal,
): Promise<EndedDelegations> {
  const path = `/edge/delegations/ended${since > 0 ? `?since=${since}` : ''}`
  const { body } = await plane.ask({ path, signal })
  const { data } = EndedDelegations.safeParse(body)
  if (!data) throw new EndedRefused('the control plane answered without a list of ended delegations')
  if (!(await isSigned(keys, body as Record<string, unknown>))) throw new EndedRefused(await keys.explain())
  const tenant = tenantId()
  if (tenant !== null && data.tenant_id !== tenant) throw new EndedRefused('the list is for another tenant')
  if (data.since !== 0 && data.since !== since) throw new EndedRefused('the list is an answer to another request')
  return data
}
