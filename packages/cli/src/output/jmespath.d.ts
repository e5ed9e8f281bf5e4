declare module 'jmespath' {
  /** Parses an expression. Throws an error for a wrong one. */
  export function compile(expression: string): unknown
  export function search(data: unknown, expression: string): unknown
}
