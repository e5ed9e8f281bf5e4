/** Undefined if drift is unknown. */
export function driftText(drift: boolean | null): string | undefined {
  if (drift === null) return undefined
  return drift ? 'yes' : 'no'
}
