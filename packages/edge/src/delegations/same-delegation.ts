/**
 * Returns the delegation that a call names in one or two places. A call that names two different ones gets a text that is no token, so that it is
 * denied.
 */
export function sameDelegation(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one === other ? one : ''
}
