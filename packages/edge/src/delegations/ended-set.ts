import { EndedDelegations } from '@mandate/contract/delegations'
import { z } from 'zod'

/** The delegations of an environment that ended before they expired. Never changes. */
export interface EndedSet {
  readonly tenantId: string
  readonly environmentId: string
  readonly version: number
  /** When the control plane signed it, in milliseconds since 1970. */
  readonly issuedAtMs: number
  /** When each delegation would have expired, in milliseconds since 1970. */
  readonly ended: ReadonlyMap<string, number>
}

/** An entry is kept for this long after its delegation expired, because the edge knows the time of the control plane only roughly. */
const marginMs = 3_600_000

/** The set that follows from `held` and a list that the control plane signed. */
export function endedSetOf(held: EndedSet | null, list: EndedDelegations): EndedSet {
  const issuedAtMs = Date.parse(list.issued_at)
  const before = list.since > 0 && held ? [...held.ended] : []
  const added = list.ended.map(({ id, expires_at }) => [id, Date.parse(expires_at)] as const)
  const ended = new Map([...before, ...added].filter(([, expiresMs]) => expiresMs + marginMs > issuedAtMs))
  return { tenantId: list.tenant_id, environmentId: list.environment_id, version: list.version, issuedAtMs, ended }
}

const Stored = z.object({
  tenant_id: EndedDelegations.shape.tenant_id,
  environment_id: EndedDelegations.shape.environment_id,
  version: EndedDelegations.shape.version,
  issued_at_ms: z.int(),
  ended: z.array(z.tuple([z.string(), z.number()])),
})

/** The JSON of a set, for the state folder. */
export function endedText({ tenantId, environmentId, version, issuedAtMs, ended }: EndedSet): string {
  const fields = { tenant_id: tenantId, environment_id: environmentId, version, issued_at_ms: issuedAtMs }
  return JSON.stringify({ ...fields, ended: [...ended] })
}

/** Reads the JSON of `endedText`. Returns null for anything else. */
export function readEnded(value: unknown): EndedSet | null {
  const { data } = Stored.safeParse(value)
  if (!data) return null
  const { tenant_id: tenantId, environment_id: environmentId, version, issued_at_ms: issuedAtMs, ended } = data
  return { tenantId, environmentId, version, issuedAtMs, ended: new Map(ended) }
}
