export interface RecordedAnswer {
  method: string
  path: string
  status: number
  type: unknown
  /** Null if the body was not recorded. */
  body: string | null
}

export function findFault(answer: RecordedAnswer): { operation: string; fault: string | null }
