import { MandateError } from '@mandate/sdk/mandate-error'

/** Waits for data that a command can do without. Returns undefined if the caller may not read it, or if it does not exist. */
export async function ifVisible<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof MandateError && (error.status === 403 || error.status === 404)) return undefined
    throw error
  }
}
