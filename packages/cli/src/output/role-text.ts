import type { Schema } from '@mandate/sdk/operation'

type User = Schema<'User'>

/** Such as `member`, `learner`, or `manager (read-only)`. */
export function roleText({ role, academy_only, read_only }: Pick<User, 'role' | 'read_only'> & Partial<User>): string {
  const shown = academy_only ? 'learner' : role
  return read_only ? `${shown} (read-only)` : shown
}
