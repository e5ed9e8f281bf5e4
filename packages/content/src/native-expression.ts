/**
 * Returns the regular expression of this engine for an expression in RE2 syntax. Only for the expressions of the product: they use what
 * both engines read in the same way, and every repetition in them is bounded or is followed by something that it cannot match. So this
 * engine needs linear time for them. Tests compare both engines.
 */
export function nativeExpression(expression: string, flags: '' | 'g' | 'dg' | 'y'): RegExp {
  const folds = expression.startsWith('(?i)')
  const source = (folds ? expression.slice(4) : expression).replaceAll('\\x{', '\\u{')
  // A search by code points is slower, and only needed for characters that have two units.
  const needsCodePoints = source.includes('\\u{')
  return new RegExp(source, `${flags}${folds ? 'i' : ''}${needsCodePoints ? 'u' : ''}`)
}
