import { RE2JS, RE2JSException } from 're2js'

/** Maximum number of instructions of a compiled expression. The time of a search grows with them. */
export const maxProgramSize = 1_000
/** Maximum length of an expression in characters. */
export const maxExpressionLength = 2_000

/** Thrown for an expression that cannot be used. The message says why. */
export class InvalidExpression extends Error {
  override readonly name = 'InvalidExpression'
}

/** Compiles an expression of a tenant in RE2 syntax. @throws InvalidExpression */
export function compileExpression(expression: string): RE2JS {
  if (expression.length > maxExpressionLength)
    throw new InvalidExpression(`must be at most ${maxExpressionLength} characters`)
  const compiled = compileRe2(expression)
  if (compiled.programSize() > maxProgramSize) {
    throw new InvalidExpression('is too large: use fewer or smaller repetitions and character classes')
  }
  if (compiled.matcher('').find()) throw new InvalidExpression('must not match the empty text')
  return compiled
}

/** Compiles an expression without limits on its size, for the expressions of the product. @throws InvalidExpression */
export function compileRe2(expression: string): RE2JS {
  try {
    return RE2JS.compile(expression)
  } catch (error) {
    if (error instanceof RE2JSException) throw new InvalidExpression(`is not RE2 syntax: ${error.message}`)
    throw error
  }
}
