/** Exit code of a comparison that found a difference, like `terraform plan -detailed-exitcode`. */
export const differs = 2

/** The error of a failed command. `hint` says what the user can do about it. */
export class Failure extends Error {
  readonly hint: string | undefined
  /** 1: the command was refused or failed. 2: a usage error. */
  readonly exitCode: 1 | 2

  constructor(message: string, { hint, exitCode = 1 }: { hint?: string | undefined; exitCode?: 1 | 2 } = {}) {
    super(message)
    this.hint = hint
    this.exitCode = exitCode
  }
}

/** A usage error that commander cannot detect. */
export function usageFailure(message: string, hint?: string): Failure {
  return new Failure(message, { exitCode: 2, hint })
}
