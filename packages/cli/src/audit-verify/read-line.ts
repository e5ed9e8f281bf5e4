import { AuditExportLine, SealableEntry } from '@mandate/contract/audit/audit-chain'

const UnsealedEntry = SealableEntry.pick({ id: true, event_type: true, created_at: true }).loose()

/** Parses one line of an export. Returns undefined for any other text. */
export function readLine(text: string): AuditExportLine | undefined {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return undefined
  }
  const { success, data } = AuditExportLine.safeParse(given)
  if (!success) return undefined
  // The hash covers the original details, including keys such as `__proto__` that the schema drops.
  return 'seal' in data ? { ...data, details: (given as typeof data).details } : data
}

/** True for an entry without a seal. The export of a member or a viewer has only such lines. */
export function isUnsealedEntry(text: string): boolean {
  try {
    const { success, data } = UnsealedEntry.safeParse(JSON.parse(text))
    return success && !('seal' in data)
  } catch {
    return false
  }
}
