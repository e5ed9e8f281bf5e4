import { AuditExportLine } from '@mandate/contract/audit-chain'

/** A line of an export; undefined for what is none. */
export function readLine(text: string): AuditExportLine | undefined {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return undefined
  }
  const { success, data } = AuditExportLine.safeParse(given)
  if (!success) return undefined
  // Details are hashed as they came, whatever their keys.
  return 'seal' in data ? { ...data, details: (given as typeof data).details } : data
}
