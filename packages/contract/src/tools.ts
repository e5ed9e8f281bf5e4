import { z } from 'zod'
import { edge, manager, viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { includeMayNames, includeNames } from './endpoint/names.ts'
import { integerParam, jsonObject, limit, oneOf, text, timestamp, uuid } from './fields/fields.ts'
import { isServerName } from './fields/mcp-tool-name.ts'
import { RuleLimit } from './fields/rule-limit.ts'
import { environmentId, mayFields, nextPageToken, pageToken } from './fields/shared-fields.ts'
import { labelPattern } from './words/policy-words.ts'
import { knownToolLabels, toolPinnings, toolStates, toolWarningTypes } from './words/tool-words.ts'

/** Maximum number of tools of one report. */
export const mostReportedTools = 500
/** Maximum number of tools of one environment. */
export const mostTools = 5_000
/** Maximum size of all stored definitions of one environment, as they were reported. */
export const mostInventoryBytes = 256 * 1024 * 1024
/** Up to this size of all stored definitions, agents with keys of their own add definitions. The rest is for edges. */
export const mostBytesByAgents = mostInventoryBytes / 2
/** Maximum number of tools that one agent with its own key adds to its environment. */
export const mostToolsOfAgent = 200
/** Maximum number of tools of an environment that only agents with keys of their own reported. */
export const mostToolsByAgents = 4_000
/** Maximum number of stored definitions that only one agent with its own key reported. */
export const mostDefinitionsOfAgent = 400
/** Tools that nobody pinned, blocked or labelled are deleted when no report named them for this long. */
export const keptUnseenDays = 30
/** Maximum number of definitions that a tool has pinned. */
export const mostPins = 5
/** Of each tool, this many of the newest definitions are kept, and those that are pinned. */
export const keptDefinitions = 20
/** Maximum size of a definition: bytes of its RFC 8785 form. */
export const mostDefinitionBytes = 65_536
/** Maximum number of levels of a definition. */
export const mostDefinitionLevels = 64
/** Maximum number of tools of one page of `GET /edge/pins`. */
export const mostPinnedTools = 1_000
/** A definition counts as declared for this long after a report. */
export const declaredHours = 24

const hash = text({ max: 64 }).refine((value) => /^[0-9a-f]{64}$/.test(value), {
  error: 'must be 64 lower-case hexadecimal characters',
  abort: true,
})
const label = text({ min: 1, max: 32 }).refine((value) => labelPattern.test(value), {
  error: 'must be 1 to 32 characters of a-z 0-9 _ and begin with a letter',
  abort: true,
})
const serverName = text({ min: 1, max: 64 }).refine(isServerName, {
  error: 'must be 1 to 64 characters of A-Z a-z 0-9 _ - . and not only dots',
  abort: true,
})
// The size of the whole definition is checked together.
const declaredText = text({ max: mostDefinitionBytes })
const declaredObject = jsonObject({ maxCharacters: mostDefinitionBytes, maxDepth: mostDefinitionLevels - 1 })

export const DeclaredTool = z.object({
  name: text({ min: 1, max: 200 }).describe('Name of the tool, as the server declares it.'),
  title: declaredText.optional().describe('Title, as the server declares it.'),
  description: declaredText.optional().describe('Description, as the server declares it.'),
  input_schema: declaredObject.optional().describe('`inputSchema` of the tool.'),
  output_schema: declaredObject.optional().describe('`outputSchema` of the tool.'),
  annotations: declaredObject.optional().describe('`annotations` of the tool.'),
})
export type DeclaredTool = z.output<typeof DeclaredTool>

export const ToolReport = z.object({
  agent_id: uuid
    .optional()
    .describe('Agent for which the server declares the tools, if they differ by agent. The credential must serve it.'),
  server: serverName.describe('Name of the tool server, as in policies.'),
  tools: z
    .array(DeclaredTool)
    .max(mostReportedTools)
    .describe(
      `What the server declares, at most ${mostReportedTools} tools. Split a longer list into several reports. If a name is there twice, the last one counts.`,
    ),
})
export type ToolReport = z.output<typeof ToolReport>

export const ToolWarning = z
  .object({
    type: oneOf(toolWarningTypes).describe('What was found.'),
    where: z.string().describe('Where it was found, such as `description` or `input_schema/properties/path`.'),
    detail: z.string().describe('What it is, in words, at most 200 characters.'),
  })
  .meta({ id: 'ToolWarning', description: 'Something in the definition of a tool that a person should look at.' })
export type ToolWarning = z.output<typeof ToolWarning>

export const Tool = z
  .object({
    id: uuid.describe('Id of the tool.'),
    environment_id: environmentId,
    tool: z.string().describe('Name of the tool in policies and decisions: `mcp:<server>/<name>`.'),
    server: z.string().describe('Name of the tool server.'),
    name: z.string().describe('Name of the tool, as the server declares it.'),
    title: z
      .string()
      .nullable()
      .describe('Title of the latest definition, at most 200 characters. Null if it has none.'),
    description: z
      .string()
      .nullable()
      .describe('Description of the latest definition, at most 2,000 characters. Null if it has none.'),
    state: oneOf(toolStates).describe(
      `\`new\`: no definition is pinned. \`pinned\`: each definition that was declared in the last ${declaredHours} hours is pinned. \`changed\`: definitions are pinned, and some edge or agent last declared another one, within ${declaredHours} hours. \`blocked\`: every call is denied.`,
    ),
    pinned_hash: z
      .string()
      .nullable()
      .describe('Hash of the pinned definition, or of the first of several. Null if none.'),
    pinned_hashes: z.array(z.string()).describe(`Hashes of all pinned definitions, at most ${mostPins}.`),
    latest_hash: z.string().describe('Hash of the definition that was seen first most recently.'),
    labels: z.array(z.string()).describe('Labels of the tool, sorted.'),
    block_reason: z.string().nullable().describe('Why the tool is blocked. Null if it is not blocked.'),
    warnings: z.array(ToolWarning).describe('Warnings about the latest definition, at most 20.'),
    agents: z
      .int()
      .describe(
        'Number of agents with a counted call of this tool in the last 30 days, of those that the caller sees. One request reads a bounded number of counts, so a large number may be a minimum.',
      ),
    calls_30d: z
      .int()
      .describe(
        'Number of calls of this tool in the last 30 days, of agents that the caller sees. For a user with scoped access, a large number may be a minimum.',
      ),
    first_seen_at: timestamp.describe('When a report first named the tool.'),
    last_seen_at: timestamp.describe('When a report last named the tool. It may be a minute older.'),
    ...mayFields,
  })
  .meta({
    id: 'Tool',
    description: 'A tool that servers declare in an environment, with the state of its definitions.',
  })
export type Tool = z.output<typeof Tool>

export const ToolDefinition = z
  .object({
    hash: z.string().describe('SHA-256 of the RFC 8785 form of the definition.'),
    definition: z
      .looseObject({ name: z.string().describe('Name of the tool.') })
      .describe('The definition as it was reported. Absent fields are left out.'),
    warnings: z.array(ToolWarning).describe('Warnings about this definition, at most 20.'),
    pinned: z.boolean().describe('True if this definition is pinned.'),
    first_seen_at: timestamp.describe('When a report first had this definition.'),
    last_seen_at: timestamp.describe('When a report last had this definition. It may be a minute older.'),
  })
  .meta({ id: 'ToolDefinition', description: 'A definition of a tool that was reported.' })
export type ToolDefinition = z.output<typeof ToolDefinition>

export const ToolDifference = z
  .object({
    path: z.string().describe('Place in the definition, such as `description` or `input_schema/properties/path/type`.'),
    change: oneOf(['added', 'removed', 'changed']).describe('What the latest definition does with this place.'),
    from: z
      .string()
      .nullable()
      .describe(
        'Value in the pinned definition, at most 2,000 characters. Text as it is, others as JSON. Null if absent.',
      ),
    to: z.string().nullable().describe('Value in the latest definition, like `from`. Null if absent.'),
  })
  .meta({ id: 'ToolDifference', description: 'A place in which two definitions of a tool differ.' })
export type ToolDifference = z.output<typeof ToolDifference>

const named = (what: string) =>
  z.object({ id: uuid.describe(`Id of the ${what}.`), name: z.string().describe(`Name of the ${what}.`) }).nullable()

export const ToolDeclaration = z
  .object({
    edge: named('edge').describe('The edge that declared the tool. Null if an agent with its own key did.'),
    agent: named('agent').describe('The agent that the declaration is for. Null if it is for all agents of the edge.'),
    hash: z.string().describe('Hash of the definition that was declared.'),
    pinned: z.boolean().describe('True if this definition is pinned.'),
    reported_at: timestamp.describe('When it was last declared.'),
  })
  .meta({ id: 'ToolDeclaration', description: 'What an edge or an agent last declared for a tool.' })
export type ToolDeclaration = z.output<typeof ToolDeclaration>

/** Maximum number of declarations that a tool shows. */
export const shownDeclarations = 20

export const DeclaredHash = z
  .object({
    hash: z.string().describe('Hash of a definition. The definition may not be stored any more.'),
    pinned: z.boolean().describe('True if this definition is pinned.'),
    by_edge: z.boolean().describe('True if an edge declared it. False if only agents with their own keys did.'),
  })
  .meta({ id: 'DeclaredHash', description: 'A definition that edges or agents last declared for a tool.' })
export type DeclaredHash = z.output<typeof DeclaredHash>

/** Maximum number of declared hashes that a tool shows. */
export const shownHashes = 25

export const ToolWithDefinitions = Tool.extend({
  declared_by: z
    .array(ToolDeclaration)
    .describe(
      `Which edges and agents declared the tool in the last ${declaredHours} hours, at most ${shownDeclarations}: definitions that are not pinned first, then the latest ones. Declarations for agents that the caller does not see are left out.`,
    ),
  declared_hashes: z
    .array(DeclaredHash)
    .describe(
      `The different definitions of all these declarations, at most ${shownHashes}, those that are not pinned first. Declarations that \`declared_by\` leaves out count too, so all declarers agree if there is one hash.`,
    ),
  definitions: z
    .array(ToolDefinition)
    .describe(`The ${keptDefinitions} newest definitions by first sight, then older ones that are pinned.`),
  diff: z
    .array(ToolDifference)
    .nullable()
    .describe(
      'What differs between the pinned definition (`pinned_hash`) and the latest one, at most 200 places. Null if the latest definition is pinned, or if none is.',
    ),
}).meta({ id: 'ToolWithDefinitions', description: 'A tool with its definitions and what changed.' })
export type ToolWithDefinitions = z.output<typeof ToolWithDefinitions>

export const PinnedTool = z.object({
  tool: z.string().describe('Name of the tool: `mcp:<server>/<name>`.'),
  blocked: z.boolean().describe('True if every call is denied, in monitor mode too.'),
  pins: z.array(z.string()).describe('Hashes of the pinned definitions. Empty if none is pinned.'),
  labels: z.array(z.string()).describe('Labels of the tool, sorted.'),
})
export type PinnedTool = z.output<typeof PinnedTool>

export const Pins = z
  .object({
    tenant_id: uuid.describe('Id of the tenant.'),
    environment_id: environmentId,
    version: z
      .int()
      .describe('Version of the pins of the environment. It rises with each change. 0 if there never was one.'),
    since: z
      .int()
      .describe(
        'The page has tools that changed after this version: `since` of the request. 0 if the request has none, or names a version that the server does not have: then replace everything.',
      ),
    pinning: oneOf(toolPinnings).describe('`tool_pinning` of the environment.'),
    tools: z
      .array(PinnedTool)
      .describe(`Tools that changed, at most ${mostPinnedTools}, in the order of their change.`),
    next_page_token: nextPageToken.optional(),
    issued_at: timestamp.describe('When the page was signed.'),
    signature: z
      .string()
      .describe(
        'Ed25519 signature, base64, over the RFC 8785 form of the page without this field, made like that of a mission profile.',
      ),
  })
  .meta({
    id: 'Pins',
    description:
      'Signed pins, blocks and labels of the tools of an environment. A client that reads several pages takes the `version` of the first one, because tools may change in between.',
  })
export type Pins = z.output<typeof Pins>

export const PinsVersion = z.object({
  version: z.int().describe('Version of the pins of the environment.'),
})
export type PinsVersion = z.output<typeof PinsVersion>

const pinChange = z
  .object({
    definition_hash: hash.optional().describe('Hash of the definition to pin.'),
    definition_hashes: z
      .array(hash)
      .min(1)
      .max(mostPins)
      .optional()
      .describe(`Hashes of the definitions to pin, at most ${mostPins}.`),
  })
  .refine(
    ({ definition_hash, definition_hashes }) => (definition_hash === undefined) !== (definition_hashes === undefined),
    {
      error: 'must have either definition_hash or definition_hashes',
    },
  )
export type PinChange = z.output<typeof pinChange>

/** `GET /tools/facets` counts at most this many tools. */
export const mostCountedTools = 10_000

export const ToolConditions = z.object({
  search: text({ max: 200 })
    .optional()
    .describe(
      'Only tools with this text in their name or title, in any letter case. The name may have the server before it, as in `mcp:files/read`.',
    ),
  state: oneOf(toolStates).optional().describe('Only tools in this state.'),
  server: text({ max: 64 }).optional().describe('Only tools of this server.'),
  label: text({ max: 32 }).optional().describe('Only tools with this label.'),
  warning: oneOf(toolWarningTypes).optional().describe('Only tools whose latest definition has such a warning.'),
  environment_id: uuid.optional().describe('Only tools of this environment.'),
  agent_id: uuid
    .optional()
    .describe('Only tools that this agent called in the last 30 days, or that were declared for it in that time.'),
})
export type ToolConditions = z.output<typeof ToolConditions>

export const ToolFilters = ToolConditions.extend({
  page_size: limit(),
  page_token: pageToken.optional(),
  include: includeMayNames,
})
export type ToolFilters = z.output<typeof ToolFilters>

const ToolFacetCount = z
  .object({
    key: z
      .string()
      .describe('Value of the filter: a word, the name of a server, a label, or the id of an environment.'),
    name: z.string().describe('Name of the environment. The key itself for other filters.'),
    count: z.int().describe('Number of tools that the list has with this value.'),
  })
  .meta({ id: 'ToolFacetCount', description: 'A value of a filter of tools, and how many tools have it.' })
export type ToolFacetCount = z.output<typeof ToolFacetCount>

const facet = (of: string) => z.array(ToolFacetCount).describe(`${of} Most frequent first, at most 50 values.`)

export const ToolFacets = z
  .object({
    total: z.int().describe('Number of tools that the list has.'),
    is_whole: z
      .boolean()
      .describe(
        `False if the caller sees more than ${mostCountedTools.toLocaleString('en-US')} tools. Then only as many of them are counted, and each number is a minimum.`,
      ),
    state: facet('Tools by state.'),
    server: facet('Tools by server.'),
    label: facet('Tools by label. A tool with several labels counts for each.'),
    warning: facet('Tools by the warnings about their latest definition. A tool counts once for each type.'),
    environment_id: facet('Tools by environment.'),
  })
  .meta({ id: 'ToolFacets', description: 'How many tools of a list have each value of each filter.' })
export type ToolFacets = z.output<typeof ToolFacets>

export const reachVerdicts = ['allow', 'deny', 'require_approval', 'depends'] as const
export type ReachVerdict = (typeof reachVerdicts)[number]

const verdict = oneOf(reachVerdicts).describe(
  'What the policy in force decides. `depends`: the arguments or the session of a call decide. Limits of rules count as not used up. A profile that denies every call denies.',
)
const reachRules = z
  .array(
    z.object({
      id: uuid.describe('Id of the rule.'),
      name: z.string().describe('Name of the rule.'),
      limit: RuleLimit.optional().describe('Limit of the rule. Absent if it has none.'),
    }),
  )
  .describe(
    'Rules that decide, or that may decide. Empty if the default effect, a profile that denies or a block decides.',
  )
const reachDefault = z
  .boolean()
  .describe(
    'True if the default effect decides, or decides the calls that none of these rules matches. False for a profile that denies and for a block.',
  )

export const ToolReach = z
  .object({
    tool_id: uuid.describe('Id of the tool.'),
    tool: z.string().describe('Name of the tool: `mcp:<server>/<name>`.'),
    verdict,
    rules: reachRules,
    default_may_decide: reachDefault,
  })
  .meta({ id: 'ToolReach', description: 'What an agent may do with a tool.' })
export type ToolReach = z.output<typeof ToolReach>

export const AgentReach = z
  .object({
    agent: z
      .object({ id: uuid.describe('Id of the agent.'), name: z.string().describe('Name of the agent.') })
      .describe('The agent that calls.'),
    verdict,
    rules: reachRules,
    default_may_decide: reachDefault,
  })
  .meta({ id: 'AgentReach', description: 'Whether an agent may call a tool.' })
export type AgentReach = z.output<typeof AgentReach>

const reachQuery = z.object({
  verdict: oneOf(reachVerdicts).optional().describe('Only rows with this verdict.'),
  page_size: limit(),
  page_token: pageToken.optional(),
  include: includeNames,
})
export type ReachQuery = z.output<typeof reachQuery>

const agentReachQuery = reachQuery.extend({
  policy: oneOf(['in_force', 'running'])
    .default('in_force')
    .describe(
      'By which policy: `in_force` is the assigned one, as edges get it. `running` is the version that an edge reported last, whatever else denies the calls of the agent now. 404 if no edge has reported one, if the reported version or content is not stored, or if the caller does not see its policy.',
    ),
})
export type AgentReachQuery = z.output<typeof agentReachQuery>

const count = z.int()
const reachText =
  'Decided by the evaluator that edges use, with the agent and its environment as they are now. In monitor mode the verdict is the same, and edges only record it. A blocked tool is denied, and so is a tool without a pin while `tool_pinning` is `enforce`.'

const params = z.object({ tool_id: uuid.describe('Id of the tool.') })
const tag = 'Tools'
const raises = 'The server tells the edges of the environment about the change at once.'
const change = { method: 'POST', tag, access: manager, params, answers: { 200: Tool } } as const

export const toolEndpoints = {
  listTools: endpoint({
    method: 'GET',
    path: '/tools',
    tag,
    summary: 'List the tools that servers declare',
    description:
      'Sorted by name. A scoped user sees the tools of the environments that they have access to, and a key that is bound to an environment those of that environment. An agent that the caller does not see has no tools. One request looks at a bounded number of tools, of all environments or of the one that the filter names, so a page may have fewer rows than asked, or none, and still have `next_page_token`.',
    access: viewer,
    query: ToolFilters,
    answers: {
      200: z.object({
        data: z.array(Tool).describe('Rows of this page.'),
        next_page_token: nextPageToken.optional(),
      }),
    },
    errors: [400],
  }),
  getToolFacets: endpoint({
    method: 'GET',
    path: '/tools/facets',
    tag,
    summary: 'Count tools by the values of each filter',
    description:
      'Takes the filters of the list. An agent that the caller does not see has no tools. The counts of a filter leave out the filter itself, so they say what another value of it would find.',
    access: viewer,
    query: ToolConditions,
    answers: { 200: ToolFacets },
    errors: [400],
  }),
  getTool: endpoint({
    method: 'GET',
    path: '/tools/{tool_id}',
    tag,
    summary: 'Read a tool with its definitions',
    description: 'With what the latest definition changes against the pinned one.',
    access: viewer,
    params,
    query: z.object({ include: includeMayNames }),
    answers: { 200: ToolWithDefinitions },
    errors: [400, 404],
  }),
  pinTool: endpoint({
    ...change,
    path: '/tools/{tool_id}/pin',
    summary: 'Pin definitions of a tool',
    description: `The definitions of the request replace all earlier pins. Several definitions are for servers that declare different ones to different credentials or agents. A hash that was never reported, or whose definition is no longer kept, is 400. ${raises}`,
    body: pinChange,
    errors: [400, 404],
  }),
  unpinTool: endpoint({
    ...change,
    path: '/tools/{tool_id}/unpin',
    summary: 'Remove the pins of a tool',
    description: `The tool is \`new\` again. ${raises}`,
    errors: [400, 404],
  }),
  blockTool: endpoint({
    ...change,
    path: '/tools/{tool_id}/block',
    summary: 'Block a tool',
    description: `Edges deny every call of the tool, whatever the policy says, and in monitor mode too. Its pins stay. ${raises}`,
    body: z.object({
      reason: text({ min: 1, max: 2000 }).describe('Why the tool is blocked, at most 2,000 characters.'),
    }),
    errors: [400, 404],
  }),
  unblockTool: endpoint({
    ...change,
    path: '/tools/{tool_id}/unblock',
    summary: 'End the block of a tool',
    description: `The policy decides again. ${raises}`,
    errors: [400, 404],
  }),
  labelTool: endpoint({
    ...change,
    method: 'PUT',
    path: '/tools/{tool_id}/labels',
    summary: 'Set the labels of a tool',
    description: `The labels of the request replace all labels of the tool. Known labels are ${knownToolLabels.map((known) => `\`${known}\``).join(', ')}. Each definition that is reported gives its tool labels by the defaults of MCP: \`untrusted_output\` unless \`openWorldHint\` is false, and \`destructive\` unless \`destructiveHint\` is false or \`readOnlyHint\` is true. After this request, reports no longer change the labels of the tool. ${raises}`,
    body: z.object({ labels: z.array(label).max(10).describe('Labels, at most 10.') }),
    errors: [400, 404],
  }),
  getAgentReach: endpoint({
    method: 'GET',
    path: '/agents/{agent_id}/reach',
    tag,
    summary: 'Read what an agent may do',
    description: `For each known tool of the agent's environment, sorted by name. ${reachText} An agent without an environment has no known tools.`,
    access: viewer,
    params: z.object({ agent_id: uuid.describe('Id of the agent.') }),
    query: agentReachQuery,
    answers: {
      200: z.object({
        data: z.array(ToolReach).describe('Rows of this page.'),
        counts: z
          .object({
            allow: count.describe('Number of tools that the agent may call.'),
            deny: count.describe('Number of tools that the agent may not call.'),
            require_approval: count.describe('Number of tools whose calls need an approval.'),
            depends: count.describe('Number of tools for which the arguments or the session decide.'),
          })
          .describe('Numbers of all known tools of the environment, whatever the filter.'),
        next_page_token: nextPageToken.optional(),
      }),
    },
    errors: [400, 404],
  }),
  getToolReach: endpoint({
    method: 'GET',
    path: '/tools/{tool_id}/reach',
    tag,
    summary: 'Read who may call a tool',
    description: `For each agent of the environment that the caller sees and that is not archived, in the order of their ids. ${reachText} One request decides for a bounded number of agents, so a page may have fewer rows than asked, or none, and still have \`next_page_token\`.`,
    access: viewer,
    params,
    query: reachQuery,
    answers: {
      200: z.object({
        data: z.array(AgentReach).describe('Rows of this page.'),
        next_page_token: nextPageToken.optional(),
      }),
    },
    errors: [400, 404],
  }),
  reportTools: endpoint({
    method: 'POST',
    path: '/edge/tools',
    tag: 'Edge',
    summary: 'Report what a tool server declares',
    description: `A definition is {name, title, description, input_schema, output_schema, annotations} as sent here, without absent fields. Its hash is SHA-256 of its RFC 8785 form. A definition of more than ${mostDefinitionBytes.toLocaleString('en-US')} bytes or ${mostDefinitionLevels} levels is 400, and then nothing of the report is stored. An environment has at most ${mostTools.toLocaleString('en-US')} tools: a report with further ones is 409, and the tools of the report that are known are stored. The same holds for definitions beyond ${mostInventoryBytes / (1024 * 1024)} MiB of an environment. An agent with its own key adds at most ${mostToolsOfAgent} tools and ${mostDefinitionsOfAgent} definitions that no edge reports, and all such agents of an environment ${mostToolsByAgents.toLocaleString('en-US')} tools. Edges report the tools that a client lists through them: the first time, when a definition changes, and again every 6 hours. The tools are in the environment of the edge, or of the agent whose own key it is; an agent without an environment is 409.`,
    access: edge,
    body: ToolReport,
    answers: {
      202: z.object({
        changed: z
          .array(z.string())
          .describe('Tools (`mcp:<server>/<name>`) whose reported definition was not known for the tool.'),
      }),
    },
    errors: [400, 404, 409],
  }),
  getPins: endpoint({
    method: 'GET',
    path: '/edge/pins',
    tag: 'Edge',
    summary: 'Read the signed pins of an environment',
    description:
      'Pins, blocks and labels of the tools in the environment of the edge, or of the agent whose own key it is. Heartbeat answers, mission profiles and the event `pins` of `GET /edge/stream` name the current version.',
    access: edge,
    query: z.object({
      since: integerParam({ min: 0, max: 2_147_483_647 }).describe(
        'Only tools that changed after this version. All tools if it is left out.',
      ),
      page_token: pageToken.optional(),
    }),
    answers: { 200: Pins },
    errors: [400, 404],
  }),
}
