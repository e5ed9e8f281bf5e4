import { invalid } from '../../../refusal.ts'

/** @throws 400 if a span ends before it begins */
export function requireOrder(from: string | undefined, to: string | undefined): void {
  if (from !== undefined && to !== undefined && to < from) throw invalid('to must not be before from')
}
