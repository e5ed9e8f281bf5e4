import { parseTime } from '@mandate/contract/fields/time'
import { z } from 'zod'
import { IdentityFailure } from '../failure.ts'

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
    Conditions: z.tuple([
      z.object({
        $: z.object({ NotBefore: z.string().optional(), NotOnOrAfter: z.string().optional() }).optional(),
        AudienceRestriction: z.array(z.object({ Audience: z.array(text) })).default([]),
      }),
    ]),
    // The library parses an empty element as a text.
    AttributeStatement: z
      .array(
        z.union([
          z.string().transform(() => ({ Attribute: [] })),
          z.object({ Attribute: z.array(attribute).optional() }),
        ]),
      )
      .optional(),
  }),
})

export type BearerConfirmation = { recipient: string; inResponseTo: string; notOnOrAfter: Date }

export type Conditions = {
  notBefore: string | undefined
  notOnOrAfter: string | undefined
  /** The audiences of each restriction. An assertion is for the audiences that are in every restriction. */
  audiences: string[][]
}

export type AttributeValue = { name: string; value: string }

export type SignedAssertion = {
  id: string
  issuer: string
  nameId: string
  nameIdFormat: string | null
  confirmations: BearerConfirmation[]
  /** What is wrong with each of the other confirmations. */
  confirmationFaults: string[]
  conditions: Conditions
  /** All values in their order, except empty ones, which some providers send before the others. */
  attributes: AttributeValue[]
}

/**
 * Reads a SAML assertion whose signature was verified. Does not use a `SubjectConfirmation` element that is incomplete or whose
 * method is not `bearer`. @throws IdentityFailure `refused`, with the name of a field that a sign-in needs and that is missing
 */
export function readAssertion(parsed: unknown): SignedAssertion {
  const read = signedAssertion.safeParse(parsed)
  if (!read.success) throw new IdentityFailure('refused', incomplete(read.error))
  const assertion = read.data.Assertion
  const [subject] = assertion.Subject
  const [nameId] = subject.NameID
  const [conditions] = assertion.Conditions
  const confirmations = subject.SubjectConfirmation.map(readConfirmation)
  return {
    id: assertion.$.ID,
    issuer: assertion.Issuer[0]._.trim(),
    nameId: nameId._.trim(),
    nameIdFormat: nameId.$?.Format?.trim() ?? null,
    confirmations: confirmations.filter((confirmation) => typeof confirmation !== 'string'),
    confirmationFaults: confirmations.filter((confirmation) => typeof confirmation === 'string'),
    conditions: {
      notBefore: conditions.$?.NotBefore,
      notOnOrAfter: conditions.$?.NotOnOrAfter,
      audiences: conditions.AudienceRestriction.map(({ Audience }) => Audience.map(({ _ }) => _.trim())),
    },
    attributes: (assertion.AttributeStatement ?? [])
      .flatMap((statement) => statement.Attribute ?? [])
      .flatMap(readAttribute),
  }
}

/** Names the first field that is missing, empty, repeated or too long. */
function incomplete({ issues }: z.ZodError): string {
  const names = (issues[0]?.path ?? []).filter((step) => typeof step === 'string' && !['$', '_'].includes(step))
  return names.length === 0
    ? 'the SAML response contains no assertion'
    : `the SAML assertion is not complete: ${names.join('/')} is missing, empty, repeated or too long`
}

function readAttribute({ $, AttributeValue = [] }: z.infer<typeof attribute>): AttributeValue[] {
  return AttributeValue.flatMap((each) => {
    const value = text.safeParse(each).data?._.trim()
    return value ? [{ name: $.Name, value }] : []
  })
}

type Confirmation = z.infer<typeof signedAssertion>['Assertion']['Subject'][0]['SubjectConfirmation'][number]

/** Returns the confirmation, or what is wrong with it. */
function readConfirmation(confirmation: Confirmation): BearerConfirmation | string {
  const { Method: method } = confirmation.$
  if (method !== 'urn:oasis:names:tc:SAML:2.0:cm:bearer') return `its Method is ${method}`
  const { Recipient, InResponseTo, NotBefore, NotOnOrAfter } = confirmation.SubjectConfirmationData?.[0].$ ?? {}
  // A bearer confirmation always has Recipient, InResponseTo and NotOnOrAfter, and never has NotBefore (SAML profiles 4.1.4.2).
  if (!Recipient) return 'it has no Recipient'
  if (!InResponseTo) return 'it has no InResponseTo'
  if (!NotOnOrAfter) return 'it has no NotOnOrAfter'
  if (NotBefore !== undefined) return 'it has NotBefore, which is not allowed'
  const notOnOrAfter = parseTime(NotOnOrAfter)
  if (notOnOrAfter === undefined) return `its NotOnOrAfter ${NotOnOrAfter} is no time`
  return { recipient: Recipient, inResponseTo: InResponseTo, notOnOrAfter: new Date(notOnOrAfter) }
}
