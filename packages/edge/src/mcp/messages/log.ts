/** The part of a pino logger that the gateway uses. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}
