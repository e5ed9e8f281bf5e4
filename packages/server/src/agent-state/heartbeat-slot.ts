/**
 * SQL for the ten minutes that contain a time. The column `heartbeat_slot` of `agent_runtime` has the ten minutes of the last
 * heartbeat. Lists find agents by it.
 */
export const slotOf = (time: string) => `date_bin('10 minutes', ${time}, '2000-01-01T00:00:00Z'::timestamptz)`
