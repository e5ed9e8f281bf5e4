/** An Ed25519 signature in base64. The last character has four bits that no byte uses. They are 0, so that each signature has one text. */
export const signaturePattern = /^[A-Za-z0-9+/]{85}[AQgw]==$/
