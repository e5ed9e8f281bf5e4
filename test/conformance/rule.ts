/** One sentence of the interface document, in our own words, and the tests that hold it. */
export interface Rule {
  /** Such as `users.put.4`: the area, the operation, a number. */
  id: string
  says: string
  /** Each a part of exactly one test's address, `<file without ending> > <describe> > <title>`. */
  heldBy: string[]
}

export interface Section {
  title: string
  rules: Rule[]
}

/** A sentence about something that is not built yet. */
export type PendingRule = Omit<Rule, 'heldBy'>
