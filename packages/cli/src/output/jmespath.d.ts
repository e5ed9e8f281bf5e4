declare module 'jmespath' {
  /** Parses an expression. @throws Error for an invalid expression */
  export function compile(expression: string): unknown
  export function search(data: unknown, expression: string): unknown
}
