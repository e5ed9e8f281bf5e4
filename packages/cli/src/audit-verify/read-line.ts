import { AuditExportLine } from '@mandate/contract/audit-chain'

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
