/** What `include=may` adds to a row: what the caller may do, and why not the rest. */
interface Judged {
  may?: readonly string[] | undefined
  may_not?: Readonly<Record<string, string>> | undefined
}

/**
 * Returns why the caller may not take the action on the row, in the words of the server. Undefined if the caller may. While the row is read,
 * the reason is that it is not known yet. An action is the id of an operation, or `operation:variant`.
 */
export function whyNot(row: Judged | undefined, action: string): string | undefined {
  if (!row?.may || !row.may_not) return 'Mandate is still reading what you may do.'
  const reason = row.may_not[action]
  // A wrong name would leave the button enabled for everyone. The browser tests fail on errors in the console.
  if (reason === undefined && !row.may.includes(action)) console.error(`the server says nothing about ${action}`)
  return reason
}
