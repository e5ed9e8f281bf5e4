/** Thrown if a search takes too long. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong'
}

/** Thrown if too many jobs wait, or if a job waited too long. It may succeed later. */
export class PoolBusy extends Error {
  override readonly name = 'PoolBusy'
}

/** Thrown if a job failed in another way: a pattern cannot be compiled, or the thread ended. */
export class SearchFailed extends Error {
  override readonly name = 'SearchFailed'
}
