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
 * transaction `after.xactId` up to `after.place`.
 */
export interface EventPosition {
  snapshot: string
  after?: { xactId: string; place: number }
}
