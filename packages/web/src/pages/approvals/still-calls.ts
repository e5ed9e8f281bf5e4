interface Call {
  id: string
}

/** The calls that a list showed when the reader came to it. */
export interface HeldCalls<C> {
  calls: readonly C[]
  /** False if the list had a next page. */
  isWhole: boolean
}

/**
 * Keeps the held calls where they are, also those that wait no more. A call that moves up from the next page goes below them. The other calls are new,
 * and `added` counts them.
 */
export function stillCalls<C extends Call>({ calls, isWhole }: HeldCalls<C>, now: readonly C[]) {
  const known = new Set(calls.map(({ id }) => id))
  const next = isWhole ? [] : now.slice(now.findLastIndex(({ id }) => known.has(id)) + 1)
  return {
    shown: next.length > 0 ? [...calls, ...next] : calls,
    added: now.filter(({ id }) => !known.has(id)).length - next.length,
  }
}
