const wrapped = /^=\?base64\?(.*)\?=$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The text that a mirrored header stands for, which may be wrapped as `=?base64?…?=`; null where it stands for none. */
export function decodeHeader(value: string): string | null {
  if (!/^[\t\x20-\x7e]*$/.test(value)) return null
  const encoded = wrapped.exec(value)?.[1]
  if (encoded === undefined) return value
  if (!base64.test(encoded)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, 'base64'))
  } catch {
    return null
  }
}
