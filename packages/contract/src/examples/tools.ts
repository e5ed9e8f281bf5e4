import type { Tool } from '../tools.ts'
import type { Examples } from './example.ts'
import { hash, ids } from './ids.ts'

const definition = {
  name: 'read_ticket',
  title: 'Read a ticket',
  description: 'Returns the text of a ticket.',
  input_schema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  annotations: { readOnlyHint: true },
}

const tool: Tool = {
  id: ids.tool,
  environment_id: ids.development,
  tool: 'mcp:tickets/read_ticket',
  server: 'tickets',
  name: definition.name,
  title: definition.title,
  description: definition.description,
  state: 'new',
  pinned_hash: null,
  pinned_hashes: [],
  latest_hash: hash,
  labels: ['untrusted_output'],
  block_reason: null,
  warnings: [],
  agents: 2,
  calls_30d: 148,
  first_seen_at: '2026-02-12T12:00:00.000Z',
  last_seen_at: '2026-03-02T08:00:00.000Z',
}

const pinned: Tool = { ...tool, state: 'pinned', pinned_hash: hash, pinned_hashes: [hash] }

const seen = {
  hash,
  definition,
  warnings: [],
  pinned: true,
  first_seen_at: tool.first_seen_at,
  last_seen_at: tool.last_seen_at,
}

export const toolExamples: Examples = {
  listTools: { response: { data: [tool] } },
  getToolFacets: {
    response: {
      total: 12,
      is_whole: true,
      state: [
        { key: 'pinned', name: 'pinned', count: 9 },
        { key: 'new', name: 'new', count: 3 },
      ],
      server: [{ key: 'tickets', name: 'tickets', count: 12 }],
      label: [{ key: 'untrusted_output', name: 'untrusted_output', count: 4 }],
      warning: [{ key: 'contains_url', name: 'contains_url', count: 1 }],
      environment_id: [{ key: ids.development, name: 'Development', count: 12 }],
    },
  },
  getAgentReach: {
    response: {
      data: [
        {
          tool_id: ids.tool,
          tool: 'mcp:tickets/read_ticket',
          verdict: 'allow',
          rules: [{ id: ids.rule, name: 'Read tickets' }],
          default_may_decide: false,
        },
      ],
      counts: { allow: 1, deny: 0, require_approval: 0, depends: 0 },
    },
  },
  getToolReach: {
    response: {
      data: [
        {
          agent: { id: ids.agent, name: 'Invoice reader' },
          verdict: 'allow',
          rules: [{ id: ids.rule, name: 'Read tickets' }],
          default_may_decide: false,
        },
      ],
    },
  },
  getTool: {
    response: {
      ...pinned,
      declared_by: [
        {
          edge: { id: ids.edge, name: 'eu-west' },
          agent: null,
          hash,
          pinned: true,
          reported_at: '2026-03-02T08:00:00.000Z',
        },
      ],
      declared_hashes: [{ hash, pinned: true, by_edge: true }],
      definitions: [seen],
      diff: null,
    },
  },
  pinTool: { request: { definition_hash: hash }, response: pinned },
  unpinTool: { response: tool },
  blockTool: {
    request: { reason: 'The server was taken over.' },
    response: { ...pinned, state: 'blocked', block_reason: 'The server was taken over.' },
  },
  unblockTool: { response: pinned },
  labelTool: {
    request: { labels: ['sensitive_output', 'untrusted_output'] },
    response: { ...pinned, labels: ['sensitive_output', 'untrusted_output'] },
  },
  reportTools: {
    request: { server: 'tickets', tools: [definition] },
    response: { changed: ['mcp:tickets/read_ticket'] },
  },
  getPins: {
    response: {
      tenant_id: ids.tenant,
      environment_id: ids.development,
      version: 7,
      since: 0,
      pinning: 'alert',
      tools: [{ tool: 'mcp:tickets/read_ticket', blocked: false, pins: [hash], labels: ['untrusted_output'] }],
      issued_at: '2026-03-02T08:00:00.000Z',
      signature: 'an Ed25519 signature in base64',
    },
  },
}
