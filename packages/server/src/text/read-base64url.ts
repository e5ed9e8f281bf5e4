/**
 * Decodes base64url. Unlike `Buffer.from`, accepts only the text that encodes the bytes: no other characters, no padding, and no
 * unused bits in the last character. So one token has one text.
 * @throws Error for any other text
 */
export function readBase64url(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new Error('the text is not base64url')
  return bytes
}
