const longest = 2_000

/** Where people find the decisions of this edge, as the control plane said last. */
export class DashboardAddress {
  private base: string | null = null

  /** Takes the address of an answer to a heartbeat. Forgets the last address if the answer has none, or if no page can be under it. */
  follow(named: string | undefined): void {
    this.base = named !== undefined && isBase(named) ? named : null
  }

  /** Returns the address of the page about a decision. Null if it is not known. */
  pageOf(decisionId: string): string | null {
    return this.base === null ? null : `${this.base}/decisions/${decisionId}`
  }
}

/** Whether the text is the address of a web page, without a user, a password, a query and a fragment. */
function isBase(text: string): boolean {
  if (text.length > longest || !/^https?:\/\/[\x21-\x7e]+$/.test(text) || /[?#]/.test(text) || !URL.canParse(text))
    return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}
