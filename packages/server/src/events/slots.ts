/** The table `events` has this many partitions, which are used in turn. */
export const slots = 5
/** How long one partition is used, in seconds. */
const slotSeconds = 300

/** How long a row is stored at least, in milliseconds. While one partition is used, the next one is emptied. */
export const storedMs = (slots - 2) * slotSeconds * 1000

/**
 * How old a position may be so that a reader can continue from it, in milliseconds. The difference to `storedMs` covers transactions
 * that began before the position and committed after it.
 */
export const resumableMs = storedMs - 2 * 60_000

/** SQL expression: the partition of a time. Rows go by the clock of the database, so all instances agree. */
export const slotOf = (time: string) =>
  `(floor(extract(epoch from ${time}) / ${slotSeconds})::bigint % ${slots})::integer`
