const longest = 2_000

/** Where people find the decisions of this edge, as the control plane said last. */
export class DashboardAddress {
  private base: string | null = null

  /** Takes the address of an answer to a heartbeat. Forgets the last address if the answer has none, or if it is not that of a web page. */
  follow(named: string | undefined): void {
    const isPage =
      named !== undefined && named.length <= longest && /^https?:\/\/[\x21-\x7e]+$/.test(named) && URL.canParse(named)
    this.base = isPage ? named : null
  }

  /** Returns the address of the page about a decision. Null if it is not known. */
  pageOf(decisionId: string): string | null {
    return this.base === null ? null : `${this.base}/decisions/${decisionId}`
  }
}
