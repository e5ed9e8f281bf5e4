import type { Schema } from '@mandate/sdk'
import { expect, it } from 'vitest'
import { changesOf, draftOf } from './agent-draft.ts'

const agent = {
  name: 'invoice-bot',
  description: '',
  framework: 'langgraph',
  model: '',
  tools: ['mcp:erp/read', 'mcp:erp/pay'],
  metadata: { team: 'billing', contact: 'a: b\nc' },
  owner_user_id: null,
} as unknown as Schema<'Agent'>

it('sends nothing for a draft that is not changed', () => {
  expect(changesOf(agent, draftOf(agent))).toEqual({})
})

it('sends only the fields that changed', () => {
  const draft = { ...draftOf(agent), model: 'claude', owner_user_id: 'u1' }
  expect(changesOf(agent, draft)).toEqual({ model: 'claude', owner_user_id: 'u1' })
})

it('sends a text that was cleared as an empty text', () => {
  expect(changesOf(agent, { ...draftOf(agent), framework: '' })).toEqual({ framework: '' })
})

it('reads one tool from each line, without empty lines', () => {
  const draft = { ...draftOf(agent), tools: ' mcp:erp/read \n\nmcp:erp/void\n' }
  expect(changesOf(agent, draft)).toEqual({ tools: ['mcp:erp/read', 'mcp:erp/void'] })
  expect(changesOf(agent, { ...draft, tools: '' })).toEqual({ tools: [] })
})

it('sends all entries of the metadata, without the rows that nobody filled in', () => {
  const draft = { ...draftOf(agent), metadata: [['team', 'finance'] as const, ['', ''] as const] }
  expect(changesOf(agent, draft)).toEqual({ metadata: { team: 'finance' } })
  const unchanged = { ...draft, metadata: [...Object.entries(agent.metadata), ['', ''] as const] }
  expect(changesOf(agent, unchanged)).toEqual({})
})
