/** The table `events` has this many partitions, which are used in turn. */
export const slots = 5
/** How long one partition is used, in seconds. */
const slotSeconds = 300

/**
 * How old a position may be so that a reader can continue from it, in milliseconds. Rows live for at least 15 minutes. The difference covers
 * transactions that began before the position and committed after it.
 */
export const resumableMs = 13 * 60_000

/** SQL expression: the partition of a time. Rows go by the clock of the database, so all instances agree. */
export const slotOf = (time: string) =>
  `(floor(extract(epoch from ${time}) / ${slotSeconds})::bigint % ${slots})::integer`
