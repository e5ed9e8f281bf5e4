/** A connection of the role that owns the tables. */
export interface Owner {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
}

/** For how many days counts of decisions are kept, by the length of their buckets. */
export const keptDays = { minute: 2, hour: 35, day: 800 } as const

/** For how many days the rows of a table are kept. The bound of a partition of decisions contains the number for this partition. */
const keptDaysOf: Readonly<Record<string, number>> = {
  decision_minutes: keptDays.minute,
  decision_hours: keptDays.hour,
  decision_days: keptDays.day,
  decision_agent_days: keptDays.day,
}

const dayMs = 24 * 60 * 60_000
// A partition is dropped a day later than needed, so that a request with an older `now` still finds it.
const graceMs = dayMs

export interface Partition {
  name: string
  /** End of its rows, not included. ISO 8601. */
  upper: string
  keptDays: number
}

/** Adds the partitions of the next week, and drops the expired ones. Returns the names of the dropped ones. */
export async function keepPartitions(owner: Owner, now: Date): Promise<string[]> {
  await addPartitions(owner, now)
  return await dropExpired(owner, now)
}

export async function addPartitions(owner: Owner, now: Date): Promise<void> {
  await owner.query('select add_partitions($1::timestamptz)', [startOfDay(now)])
}

/**
 * Drops the partitions whose rows have all expired. Dropping deletes files, so it takes the same time for few and for many rows. A
 * statement that uses the table delays a drop by at most two seconds; then the drop is left to the next run.
 */
export async function dropExpired(owner: Owner, now: Date): Promise<string[]> {
  const dropped: string[] = []
  for (const partition of await findPartitions(owner)) {
    if (Date.parse(partition.upper) + partition.keptDays * dayMs + graceMs > now.getTime()) continue
    if (await drop(owner, partition.name)) dropped.push(partition.name)
  }
  return dropped
}

const startOfDay = (time: Date) => new Date(Math.floor(time.getTime() / dayMs) * dayMs).toISOString()

/** Returns all partitions by range, oldest first. */
export async function findPartitions(owner: Owner): Promise<Partition[]> {
  const { rows } = await owner.query(`
    select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    join pg_partitioned_table t on t.partrelid = p.oid and t.partstrat = 'r'
    where p.relnamespace = 'public'::regnamespace and p.relkind = 'p' and c.relispartition and c.relkind = 'r'`)
  return rows
    .map(({ name, parent, bound }) => partitionOf(name as string, parent as string, bound as string))
    .sort((a, b) => (a.upper < b.upper ? -1 : 1))
}

/** A bound has the form `FOR VALUES FROM (90, '2026-01-01 00:00:00+00') TO (90, '2026-01-02 00:00:00+00')`. */
function partitionOf(name: string, parent: string, bound: string): Partition {
  const [, retention, upper] = / TO \((?:(\d+), )?'([^']+)'\)$/.exec(bound) ?? []
  const days = retention === undefined ? keptDaysOf[parent] : Number(retention)
  if (upper === undefined || days === undefined) throw new Error(`partition ${name} has an unknown bound: ${bound}`)
  return { name, upper: new Date(upper).toISOString(), keptDays: days }
}

const lockNotAvailable = '55P03'

async function drop(owner: Owner, name: string): Promise<boolean> {
  await owner.query('begin')
  try {
    await owner.query(`set local lock_timeout = '2s'`)
    await owner.query(`drop table "${name}"`)
    await owner.query('commit')
    return true
  } catch (error) {
    await owner.query('rollback')
    if ((error as { code?: string }).code === lockNotAvailable) return false
    throw error
  }
}
