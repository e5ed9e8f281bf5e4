import { expect, it } from 'vitest'
import { chainText } from './show-decision.ts'

it('says for whom and through which agents an agent acted', () => {
  const chain = [
    { type: 'user', id: 'u', name: 'Ana Ferreira' },
    { type: 'agent', id: 'a', name: 'orchestrator' },
    { type: 'agent', id: 'b', name: 'support' },
  ]
  expect(chainText(chain)).toBe('for Ana Ferreira → by orchestrator → by support')
})
