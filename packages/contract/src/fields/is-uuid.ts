export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether the text is a UUID of any version, in capital or small letters. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}
