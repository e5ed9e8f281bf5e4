/** One sentence of the interface document, rephrased, and the tests that check it. */
export interface Rule {
  /** Area, operation and number, such as `users.put.4`. */
  id: string
  says: string
  /** Texts that each match the address of exactly one test, `<file without extension> > <describe> > <title>`. */
  heldBy: string[]
}

export interface Section {
  title: string
  rules: Rule[]
}

/** A rule about a part that is not built yet. */
export type PendingRule = Omit<Rule, 'heldBy'>
