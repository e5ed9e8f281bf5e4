/** Decides who may receive an event. Events of audit entries have the category of the entry. */
export type Audience = 'people' | 'organization' | 'agent' | 'policy' | 'edge'

/** A stored event, as the readers of a tenant receive it. */
export interface EventRow {
  id: string
  /** Orders the rows of one read. Never leaves the server, because all tenants share the sequence. */
  place: number
  xactId: string
  /** The snapshot of the statement that wrote the row. */
  snapshot: string
  /** ISO 8601. */
  at: string
  /** The type of the audit entry if `isAudited`, otherwise the type of the event. */
  type: string
  audience: Audience
  isAudited: boolean
  resourceType: string
  resourceId: string
  agentId: string | null
  environmentId: string | null
  // biome-ignore lint/suspicious/noExplicitAny: each type of event has its own details
  details: any
}

/**
 * A place in the events of a tenant. A reader that is there has read all rows whose transactions are visible in `snapshot`, and the rows of
 * transaction `ownXactId` up to `place`.
 *
 * After a crash, PostgreSQL uses the ids of transactions again that were rolled back shortly before. The snapshot counts these ids as visible. So
 * each row with a higher place is new too: places do not go back.
 */
export interface EventPosition {
  snapshot: string
  /** No row that was read has a higher place. */
  place: number
  /** New rows belong to this transaction or a later one, or to one that is not visible in the snapshot. */
  fromXactId: string
  ownXactId?: string
}
