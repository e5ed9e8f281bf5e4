import { z } from 'zod'

/**
 * Maximum length of an id from a SAML assertion. The identity provider chooses the ids, and they must fit into a database
 * column and its index.
 */
const STORABLE_MAX = 512
const text = z.object({ _: z.string().refine((value) => !value.includes('\0')) })
const identifier = (value: string) => value.trim() !== '' && value.length <= STORABLE_MAX && !value.includes('\0')

const attribute = z.object({
  $: z.object({ Name: z.string() }),
  AttributeValue: z.array(z.union([z.object({ _: z.string() }), z.unknown()])).optional(),
})

/**
 * The fields of a SAML assertion that are read, in the form in which the library parses XML: `$` contains the attributes, `_`
 * contains the text, and every element is a list.
 */
const signedAssertion = z.object({
  Assertion: z.object({
    $: z.object({ ID: z.string().refine(identifier) }),
    Issuer: z.tuple([text]),
    Subject: z.tuple([
      z.object({
        NameID: z.tuple([
          z.object({
            _: z.string().refine(identifier),
            $: z.object({ Format: z.string().optional() }).optional(),
          }),
        ]),
        SubjectConfirmation: z.array(
          z.object({
            $: z.object({ Method: z.string() }),
            SubjectConfirmationData: z
              .tuple([
                z.object({
                  $: z.object({
                    Recipient: z.string().optional(),
                    InResponseTo: z.string().optional(),
                    NotBefore: z.string().optional(),
                    NotOnOrAfter: z.string().optional(),
                  }),
                }),
              ])
              .optional(),
          }),
        ),
      }),
    ]),
    AttributeStatement: z.array(z.object({ Attribute: z.array(attribute).optional() })).optional(),
  }),
})

export type BearerConfirmation = { recipient: string; inResponseTo: string; notOnOrAfter: Date }

export type AttributeValue = { name: string; value: string }

export type SignedAssertion = {
  id: string
  issuer: string
  nameId: string
  nameIdFormat: string | null
  confirmations: BearerConfirmation[]
  /** All values in their order, except empty ones, which some providers send before the others. */
  attributes: AttributeValue[]
}

/**
 * Reads a SAML assertion whose signature was verified. Returns null if a field is missing that a sign-in needs. Ignores a
 * `SubjectConfirmation` element that is incomplete or whose method is not `bearer`.
 */
export function readAssertion(parsed: unknown): SignedAssertion | null {
  const read = signedAssertion.safeParse(parsed)
  if (!read.success) return null
  const assertion = read.data.Assertion
  const [subject] = assertion.Subject
  const [nameId] = subject.NameID
  return {
    id: assertion.$.ID,
    issuer: assertion.Issuer[0]._.trim(),
    nameId: nameId._.trim(),
    nameIdFormat: nameId.$?.Format ?? null,
    confirmations: subject.SubjectConfirmation.flatMap(readConfirmation),
    attributes: (assertion.AttributeStatement ?? [])
      .flatMap((statement) => statement.Attribute ?? [])
      .flatMap(readAttribute),
  }
}

function readAttribute({ $, AttributeValue = [] }: z.infer<typeof attribute>): AttributeValue[] {
  return AttributeValue.flatMap((each) => {
    const value = text.safeParse(each).data?._.trim()
    return value ? [{ name: $.Name, value }] : []
  })
}

type Confirmation = z.infer<typeof signedAssertion>['Assertion']['Subject'][0]['SubjectConfirmation'][number]

function readConfirmation(confirmation: Confirmation): BearerConfirmation[] {
  const data = confirmation.SubjectConfirmationData?.[0].$
  if (confirmation.$.Method !== 'urn:oasis:names:tc:SAML:2.0:cm:bearer') return []
  // A bearer confirmation always has Recipient, InResponseTo and NotOnOrAfter, and never has NotBefore (SAML profiles 4.1.4.2).
  if (!data?.Recipient || !data.InResponseTo || !data.NotOnOrAfter || data.NotBefore !== undefined) return []
  const notOnOrAfter = new Date(data.NotOnOrAfter)
  if (Number.isNaN(notOnOrAfter.getTime())) return []
  return [{ recipient: data.Recipient, inResponseTo: data.InResponseTo, notOnOrAfter }]
}
