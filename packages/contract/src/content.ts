import { z } from 'zod'
import { edge, manager, member, viewer, viewerReading } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { includeNames } from './endpoint/names.ts'
import { limit, name, offset, oneOf, page, text, timestamp, uuid } from './fields/fields.ts'
import { includeMay, mayFields, policyId } from './fields/shared-fields.ts'
import { checkNames, contentActions, contentSides, patternKinds } from './words/content-words.ts'
import { labelPattern } from './words/policy-words.ts'

/** Maximum number of patterns of a tenant, without the built-in ones. */
export const maxContentPatterns = 200
/** Maximum length of all patterns of a tenant as JSON, in bytes. A profile may have all of them. */
export const maxContentPatternBytes = 262_144
/** Maximum length of all words of a pattern, in characters. */
export const maxWordCharacters = 4_000
/** Maximum number of bindings of a policy. */
export const maxContentBindings = 100
/** Maximum length of a text to test, in characters. */
export const maxTestedText = 65_536
/** Maximum number of matches in the answer to a test. */
export const maxTestMatches = 10_000

const group = name({ max: 100 })
const patternId = uuid.describe('Id of the pattern.')

const patternFields = {
  name: z.string().describe('Name of the pattern. It stands in the place of a match that is redacted.'),
  group: z
    .string()
    .describe('Group of the pattern. Built-in groups are `secrets`, `financial`, `personal` and `injection`.'),
  kind: oneOf(patternKinds).describe('`regex`: a regular expression. `words`: words and phrases.'),
  expression: z
    .string()
    .optional()
    .describe(
      'The regular expression in RE2 syntax. Only for `regex`. The match of a built-in pattern is the first capturing group that takes part.',
    ),
  words: z
    .array(z.string())
    .optional()
    .describe('Words and phrases, found as whole words in any letter case. Only for `words`.'),
  check: oneOf(checkNames)
    .optional()
    .describe('What a match must pass besides the expression, such as a check digit. Only for some built-in patterns.'),
  builtin: z.boolean().describe('True for a pattern of the product. It cannot be changed.'),
}

export const ContentPattern = z
  .object({
    id: patternId,
    ...patternFields,
    created_at: timestamp.nullable().describe('When it was created. Null for a built-in pattern.'),
    ...mayFields,
  })
  .meta({ id: 'ContentPattern', description: 'A pattern that finds something in text. Policies bind patterns.' })
export type ContentPattern = z.output<typeof ContentPattern>

const newFields = {
  name: name({ max: 200 }).describe('Name of the pattern, trimmed, 1 to 200 characters.'),
  group: group.describe('Group of the pattern, trimmed, 1 to 100 characters. It may be a built-in group.'),
  kind: oneOf(patternKinds).describe('`regex` needs `expression`. `words` needs `words`.'),
  expression: text({ min: 1, max: 2000 })
    .optional()
    .describe('A regular expression in RE2 syntax, at most 2,000 characters. It must not match the empty text.'),
  words: z
    .array(name({ max: 200 }))
    .min(1)
    .max(100)
    .refine((words) => words.reduce((sum, word) => sum + word.length, 0) <= maxWordCharacters, {
      error: `must have at most ${maxWordCharacters} characters together`,
      abort: true,
    })
    .optional()
    .describe('Words and phrases, 1 to 100, each at most 200 characters, and at most 4,000 characters together.'),
}

export const NewContentPattern = z
  .object(newFields)
  .meta({ id: 'NewContentPattern', description: 'A pattern to create.' })
export type NewContentPattern = z.output<typeof NewContentPattern>

export const ContentPatternUpdate = z
  .object(newFields)
  .partial()
  .meta({ id: 'ContentPatternUpdate', description: 'Fields of a pattern to change. The others stay as they are.' })
export type ContentPatternUpdate = z.output<typeof ContentPatternUpdate>

export const ContentTest = z.object({
  text: text({ max: maxTestedText }).describe('Text to search, at most 65,536 characters. Neither stored nor logged.'),
  pattern_ids: z
    .array(uuid)
    .min(1)
    .max(300)
    .optional()
    .describe('Patterns to search for, 1 to 300. All patterns if it is left out.'),
})
export type ContentTest = z.output<typeof ContentTest>

const label = text({ max: 32 }).refine((value) => labelPattern.test(value), {
  error: 'must match [a-z][a-z0-9_]{0,31}',
  abort: true,
})

export const ContentBinding = z
  .object({
    pattern_id: patternId.optional().describe('Pattern that is bound. Exactly one of `pattern_id` and `group` is set.'),
    group: group.optional().describe('Group whose patterns are all bound.'),
    on: oneOf(contentSides).describe('What is searched: the arguments of calls, or their results.'),
    action: oneOf(contentActions).describe(
      '`flag` records the match. `label` also gives the session a label. `redact` replaces the match. `require_approval` (arguments only) and `deny` stop the call. The strictest of `flag`, `require_approval` and `deny` applies; `label` and `redact` always apply.',
    ),
    label: label.optional().describe('Label that the session gets. Required for `label`, refused for other actions.'),
  })
  .refine(({ pattern_id, group }) => (pattern_id === undefined) !== (group === undefined), {
    error: 'must have exactly one of pattern_id and group',
  })
  .refine(({ action, on }) => action !== 'require_approval' || on === 'arguments', {
    path: ['action'],
    error: 'must not be require_approval for results',
  })
  .refine(({ action, label }) => (action === 'label') === (label !== undefined), {
    path: ['label'],
    error: 'is required for the action label, and refused for other actions',
  })
  .meta({ id: 'ContentBinding', description: 'What a policy does about the matches of a pattern or of a group.' })
export type ContentBinding = z.output<typeof ContentBinding>

const newBindings = z.array(ContentBinding).max(maxContentBindings).describe('All bindings of the policy, at most 100.')
export const NewContentBindings = z.object({ bindings: newBindings })
export type NewContentBindings = z.output<typeof NewContentBindings>

const bindings = z.array(ContentBinding).describe('Bindings of the policy.')
const setVersion = z
  .int()
  .describe(
    'Number of the set of bindings: one more with each save, 0 if no set was ever saved. It is no policy version.',
  )

export const ContentBindings = z
  .object({ version: setVersion, bindings })
  .meta({ id: 'ContentBindings', description: 'What a policy does about patterns in the content of calls.' })
export type ContentBindings = z.output<typeof ContentBindings>

/** A pattern as it was when a set of bindings was saved, or as a mission profile has it. */
export const HeldPattern = z
  .object({ id: patternId, ...patternFields })
  .meta({ id: 'HeldPattern', description: 'A pattern as it was when a set of bindings was saved.' })
export type HeldPattern = z.output<typeof HeldPattern>

const savedPart = {
  version: setVersion,
  saved_by: z
    .object({
      user_id: uuid.nullable().describe('Id of the user. Null if the service saved the version itself.'),
      display_name: z.string().describe('Display name of the user at that time.'),
      email: z.string().describe('Address of the user at that time.'),
    })
    .describe('Who saved the version, with the name of that time.'),
  saved_at: timestamp.describe('When the version was saved.'),
  diff: z
    .object({
      added: z.array(ContentBinding).describe('Bindings that the version added.'),
      removed: z.array(ContentBinding).describe('Bindings that the version removed.'),
      patterns: z
        .array(
          z.object({
            id: patternId,
            name: z.string().describe('Name of the pattern.'),
            change: oneOf(['added', 'changed', 'removed']).describe('What happened to the pattern.'),
          }),
        )
        .describe('Patterns of the tenant that the set holds now and did not before, or that changed.'),
    })
    .describe('What differs from the version before. For version 1, all of it is added.'),
}

export const ContentBindingsVersion = z
  .object(savedPart)
  .meta({ id: 'ContentBindingsVersion', description: 'One save of the bindings of a policy.' })
export type ContentBindingsVersion = z.output<typeof ContentBindingsVersion>

export const ContentBindingsVersionDetail = z
  .object({
    ...savedPart,
    bindings,
    patterns: z.array(HeldPattern).describe('Patterns of the tenant that the set holds, as they were then.'),
  })
  .meta({ id: 'ContentBindingsVersionDetail', description: 'One save of the bindings of a policy, with the bindings.' })
export type ContentBindingsVersionDetail = z.output<typeof ContentBindingsVersionDetail>

/** The content rules of a mission profile. */
export const ProfileContent = z
  .object({
    version: z.int().describe('Version of the bindings.'),
    bindings,
    patterns: z.array(HeldPattern).describe('Every pattern that the bindings name, the built-in ones included.'),
  })
  .meta({
    id: 'ProfileContent',
    description:
      'Content rules of the policy. An edge that does not know a part of them denies every call of the agent and says so.',
  })
export type ProfileContent = z.output<typeof ProfileContent>

export const ContentKey = z
  .object({
    environment_id: uuid.describe('Environment of the key.'),
    key: z.string().describe('32 random bytes in base64.'),
  })
  .meta({
    id: 'ContentKey',
    description:
      'Key of an environment for digests of arguments in which a pattern matched: HMAC-SHA-256 over the RFC 8785 form of {args, tool}. Nobody can find the arguments by trying texts without the key.',
  })
export type ContentKey = z.output<typeof ContentKey>

const patternParams = z.object({ pattern_id: patternId })
const params = z.object({ policy_id: policyId })
const maxVersion = 2_147_483_647
const versionParams = params.extend({
  version: z
    .string()
    .max(1000)
    .refine((value) => /^[1-9]\d*$/.test(value), { error: 'must be a positive integer' })
    .transform((value) => Math.min(Number(value), maxVersion))
    .meta({ type: 'integer', minimum: 1 })
    .describe('Number of the version, from 1. 404 for a number that the set does not have.'),
})
const tag = 'Content rules'
const wholeTenant = { ...manager, boundKey: 'refused' } as const

export const contentEndpoints = {
  listContentPatterns: endpoint({
    method: 'GET',
    path: '/content-patterns',
    tag,
    summary: 'List content patterns',
    description: 'All patterns: first the built-in ones, then those of the tenant by their creation.',
    access: viewer,
    query: z.object({ include: includeMay }),
    answers: { 200: z.object({ data: z.array(ContentPattern).describe('All patterns that the organization has.') }) },
    errors: [400],
  }),
  createContentPattern: endpoint({
    method: 'POST',
    path: '/content-patterns',
    tag,
    summary: 'Create a content pattern',
    description:
      'Needs access to the whole organization. 400 says what is wrong with an expression. 409 if the tenant has 200 patterns, or if all its patterns have more than 262,144 bytes as JSON. If policies bind the group of the pattern, their bindings get a new version.',
    access: wholeTenant,
    body: NewContentPattern,
    answers: { 201: ContentPattern },
    errors: [400, 403, 409],
  }),
  updateContentPattern: endpoint({
    method: 'PUT',
    path: '/content-patterns/{pattern_id}',
    tag,
    summary: 'Change a content pattern',
    description:
      'Each set of bindings that holds the pattern, before or after the change, gets a new version. A change of nothing saves nothing. 409 for a built-in pattern, and if all patterns of the tenant have more than 262,144 bytes as JSON.',
    access: wholeTenant,
    params: patternParams,
    body: ContentPatternUpdate,
    answers: { 200: ContentPattern },
    errors: [400, 403, 404, 409],
  }),
  deleteContentPattern: endpoint({
    method: 'DELETE',
    path: '/content-patterns/{pattern_id}',
    tag,
    summary: 'Delete a content pattern',
    description: '409 for a built-in pattern, and while a policy binds the pattern or its group.',
    access: wholeTenant,
    params: patternParams,
    answers: { 204: null },
    errors: [400, 403, 404, 409],
  }),
  testContentPatterns: endpoint({
    method: 'POST',
    path: '/content-patterns/test',
    tag,
    summary: 'Find patterns in a text',
    description:
      'The text is neither stored nor logged. 400 for an unknown pattern, and if the search takes more than 500 ms. 429 if too many texts of the organization wait for their search. 503 if the search fails.',
    access: viewerReading,
    body: ContentTest,
    answers: {
      200: z.object({
        matches: z
          .array(
            z.object({
              pattern_id: patternId,
              start: z.int().describe('Place of the first character of the match, from 0, in code points.'),
              end: z.int().describe('Place after the last character of the match, in code points.'),
            }),
          )
          .describe('Matches in the order of the text, at most 10,000.'),
      }),
    },
    errors: [400, 503],
  }),
  getContentBindings: endpoint({
    method: 'GET',
    path: '/policies/{policy_id}/content-bindings',
    tag,
    summary: 'Read the content bindings of a policy',
    description: 'They apply while the policy has `dlp_enabled`. The answer has an `ETag` with the version.',
    access: viewer,
    params,
    answers: { 200: ContentBindings },
    errors: [400, 404],
  }),
  replaceContentBindings: endpoint({
    method: 'PUT',
    path: '/policies/{policy_id}/content-bindings',
    tag,
    summary: 'Replace the content bindings of a policy',
    description:
      'Replaces all bindings. The save makes a new version of the bindings, and none of the policy. Bindings that change nothing make no new version. 412 if `If-Match` names another version.',
    access: member,
    params,
    body: NewContentBindings,
    answers: { 200: ContentBindings },
    errors: [400, 403, 404, 412],
  }),
  listContentBindingsVersions: endpoint({
    method: 'GET',
    path: '/policies/{policy_id}/content-bindings/versions',
    tag,
    summary: 'List the versions of content bindings, newest first',
    description: 'Versions of the bindings, from 1. They are no versions of the policy.',
    access: viewer,
    params,
    query: z.object({ limit: limit(), offset, include: includeNames }),
    answers: { 200: page(ContentBindingsVersion) },
    errors: [400, 404],
  }),
  getContentBindingsVersion: endpoint({
    method: 'GET',
    path: '/policies/{policy_id}/content-bindings/versions/{version}',
    tag,
    summary: 'Read a version of content bindings',
    description: 'The bindings and the patterns of the tenant that they held, as they were when the version was saved.',
    access: viewer,
    params: versionParams,
    query: z.object({ include: includeNames }),
    answers: { 200: ContentBindingsVersionDetail },
    errors: [400, 404],
  }),
  getContentKey: endpoint({
    method: 'GET',
    path: '/edge/content-key',
    tag: 'Edge',
    summary: 'Read the key for digests of arguments',
    description:
      'The key of the environment of the edge or of the agent. The first request creates it. 404 for an agent without an environment.',
    access: edge,
    answers: { 200: ContentKey },
    errors: [404],
  }),
}
