/** The exit code of a comparison that found a difference, as that of `terraform plan -detailed-exitcode`. */
export const differs = 2

/** A command that did not do what it was asked. `hint` says what can be done about it. */
export class Failure extends Error {
  readonly hint: string | undefined
  /** 1: refused or failed. 2: asked for wrongly. */
  readonly exitCode: 1 | 2

  constructor(message: string, { hint, exitCode = 1 }: { hint?: string | undefined; exitCode?: 1 | 2 } = {}) {
    super(message)
    this.hint = hint
    this.exitCode = exitCode
  }
}

/** A command line that commander accepts and that means nothing. */
export function usageFailure(message: string, hint?: string): Failure {
  return new Failure(message, { exitCode: 2, hint })
}
