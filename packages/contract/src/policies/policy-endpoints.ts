import { z } from 'zod'
import { manager, member, viewer, viewerReading } from '../endpoint/access.ts'
import { endpoint } from '../endpoint/endpoint.ts'
import { includeMayNames, includeNames } from '../endpoint/names.ts'
import { declaredBounds } from '../fields/bounds.ts'
import { limit, offset, page, sortParam, text, uuid } from '../fields/fields.ts'
import { include } from '../fields/include.ts'
import { includeTexts, policyId } from '../fields/shared-fields.ts'
import {
  CandidatePolicy,
  ListedPolicy,
  NewPolicy,
  NewRule,
  Policy,
  PolicyDocument,
  PolicyUpdate,
  PolicyVersion,
  PolicyVersionDetail,
  PolicyWarning,
  RuleUpdate,
  SavedRule,
  Simulation,
  SimulationResult,
} from './policies.ts'

// The database column is a 32-bit integer. A larger number is replaced by this maximum. No policy has so many versions.
const maxVersion = 2_147_483_647
const version = z
  .string()
  .refine((value) => /^[1-9]\d*$/.test(value), { error: 'must be a positive integer' })
  .register(declaredBounds, { maxLength: 1000, text: 'must be a positive integer' })
  .transform((value) => Math.min(Number(value), maxVersion))
  .meta({ type: 'integer', minimum: 1 })

const params = z.object({ policy_id: policyId })
const ruleParams = z.object({ policy_id: policyId, rule_id: uuid.describe('Id of the rule.') })
const versionParams = z.object({
  policy_id: policyId,
  version: version.describe('Number of the version, from 1. 404 for a number that the policy does not have.'),
})
const tag = 'Policies'

export const policyEndpoints = {
  listPolicies: endpoint({
    method: 'GET',
    path: '/policies',
    tag,
    summary: 'List policies',
    description: 'Policies that the caller sees, the newest first unless `sort` says otherwise.',
    access: viewer,
    query: z.object({
      environment_id: uuid.optional().describe('Only policies that are for this environment.'),
      search: text({ max: 200 })
        .optional()
        .describe(
          'Only policies with this text in their name or in the name of a rule. Upper and lower case are the same.',
        ),
      sort: sortParam(['created_at', 'name', 'updated_at'], 'created_at').describe(
        '`name`: from A to Z. `updated_at`: the last saved first. Another value counts as `created_at`: the newest first.',
      ),
      include: include(
        ['rules', 'may', 'names'],
        `\`rules\` adds the rules of each policy. ${includeTexts.may} ${includeTexts.names}`,
      ),
      limit: limit(),
      offset,
    }),
    answers: { 200: page(ListedPolicy) },
    errors: [400],
  }),
  createPolicy: endpoint({
    method: 'POST',
    path: '/policies',
    tag,
    summary: 'Create a policy',
    description:
      'The policy starts at version 1. 409 if another policy of the environment has this name. Policies for every environment are compared only with each other. `warnings` in the answer names rules that can never decide.',
    access: member,
    body: NewPolicy,
    answers: { 201: Policy },
    errors: [400, 402, 403, 409],
    codes: ['plan_upgrade_required', 'policy_name_taken'],
  }),
  validatePolicy: endpoint({
    method: 'POST',
    path: '/policies/validate',
    tag,
    summary: 'Check a policy document without saving it',
    description:
      'A document that a save would refuse is 400 with the text of that refusal. `errors` lists the fields that are missing or have a wrong type or value, at most 20. If there is no such field, `errors` lists the faults of the rules, at most 1,000. A name that another policy has in the environment is a warning, because the document may be of this policy.',
    access: viewerReading,
    body: CandidatePolicy,
    listsFaults: true,
    answers: {
      200: z.object({
        valid: z.literal(true).describe('Always true: a document with faults is 400.'),
        warnings: z.array(PolicyWarning).describe('Advice about rules that can never decide, and similar.'),
      }),
    },
    errors: [400],
  }),
  getPolicy: endpoint({
    method: 'GET',
    path: '/policies/{policy_id}',
    tag,
    summary: 'Read a policy',
    description: '404 for a policy that the caller cannot see. The answer has an `ETag` with the version.',
    access: viewer,
    params,
    query: z.object({ include: includeMayNames }),
    answers: { 200: Policy },
    errors: [400, 404],
  }),
  updatePolicy: endpoint({
    method: 'PUT',
    path: '/policies/{policy_id}',
    tag,
    summary: "Change a policy's fields",
    description:
      'A field that is left out stays unchanged. The save makes a new version. Rules are changed by their own routes. 409 for a new name or environment if another policy has this name there.',
    access: member,
    params,
    body: PolicyUpdate,
    answers: { 200: Policy },
    errors: [400, 402, 403, 404, 409, 412],
    codes: ['plan_upgrade_required', 'policy_name_taken'],
  }),
  replacePolicy: endpoint({
    method: 'PUT',
    path: '/policies/{policy_id}/document',
    tag,
    summary: 'Replace fields and rules as one version',
    description:
      "For documents that are kept elsewhere: either all of it is saved or nothing. A rule whose `id` is one of the policy's is changed, any other rule is added under a new id. Rules that are not sent are removed.",
    access: member,
    params,
    body: PolicyDocument,
    answers: { 200: Policy },
    errors: [400, 402, 403, 404, 409, 412],
    codes: ['plan_upgrade_required', 'policy_name_taken'],
  }),
  deletePolicy: endpoint({
    method: 'DELETE',
    path: '/policies/{policy_id}',
    tag,
    summary: 'Delete a policy and its versions',
    description: '409 while an agent uses the policy.',
    access: member,
    params,
    answers: { 204: null },
    errors: [400, 403, 404, 409, 412],
  }),
  createRule: endpoint({
    method: 'POST',
    path: '/policies/{policy_id}/rules',
    tag,
    summary: 'Add a rule',
    description: 'The save makes a new version of the policy. 400 names the field that is wrong.',
    access: member,
    params,
    body: NewRule,
    answers: { 201: SavedRule },
    errors: [400, 403, 404, 412],
  }),
  updateRule: endpoint({
    method: 'PUT',
    path: '/policies/{policy_id}/rules/{rule_id}',
    tag,
    summary: 'Change a rule',
    description:
      'A field that is left out stays unchanged; `match` is replaced as a whole. The save makes a new version of the policy.',
    access: member,
    params: ruleParams,
    body: RuleUpdate,
    answers: { 200: SavedRule },
    errors: [400, 403, 404, 412],
  }),
  deleteRule: endpoint({
    method: 'DELETE',
    path: '/policies/{policy_id}/rules/{rule_id}',
    tag,
    summary: 'Remove a rule',
    description: 'The save makes a new version of the policy.',
    access: member,
    params: ruleParams,
    answers: { 204: null },
    errors: [400, 403, 404, 412],
  }),
  simulatePolicy: endpoint({
    method: 'POST',
    path: '/policies/{policy_id}/simulate',
    tag,
    summary: 'Decide given or recorded calls by a policy',
    description:
      'Nothing is stored. `calls` are decided with what they carry; no argument counts as undeclared. They are decided one after the other, as if all were made at the same time: limits of rules begin at zero, and each call that is allowed counts. Each `agent.id` has limits of its own, and all calls without one have the same agent. `replay` decides the recorded calls of the agents under the policy that the caller sees. Only the tool and a digest of the arguments are recorded, so a call that depends on a condition on `args.`, `agent.` or `environment.`, or on the limit of a rule, is undecidable.',
    access: viewerReading,
    params,
    body: Simulation,
    answers: { 200: SimulationResult },
    errors: [400, 404],
  }),
  listPolicyVersions: endpoint({
    method: 'GET',
    path: '/policies/{policy_id}/versions',
    tag,
    summary: 'List the versions of a policy, newest first',
    description: 'Each version has the summary of its changes. The snapshot is in the single version.',
    access: viewer,
    params,
    query: z.object({ limit: limit(), offset, include: includeNames }),
    answers: { 200: page(PolicyVersion) },
    errors: [400, 404],
  }),
  getPolicyVersion: endpoint({
    method: 'GET',
    path: '/policies/{policy_id}/versions/{version}',
    tag,
    summary: 'Read a version of a policy',
    description:
      'The answer has the snapshot of the version and the changes against the version before, or against another version.',
    access: viewer,
    params: versionParams,
    query: z.object({
      against: version
        .optional()
        .describe(
          'Compare with this version instead of the version before. 404 for a number that the policy does not have.',
        ),
      include: includeNames,
    }),
    answers: { 200: PolicyVersionDetail },
    errors: [400, 404],
  }),
  restorePolicyVersion: endpoint({
    method: 'POST',
    path: '/policies/{policy_id}/versions/{version}/restore',
    tag,
    summary: 'Restore an earlier version',
    description:
      'The snapshot becomes the current policy, as a new version. It passes the checks of a save first: a version that no longer passes is 400, and the policy stays unchanged. Rules keep their ids.',
    access: manager,
    params: versionParams,
    answers: { 200: Policy },
    errors: [400, 402, 403, 404, 409, 412],
    codes: ['plan_upgrade_required', 'policy_name_taken'],
  }),
}
