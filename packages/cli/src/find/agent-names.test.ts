import { createClient } from '@mandate/sdk/client'
import { serve } from '@mandate/sdk/testing/serve'
import { expect, test } from 'vitest'
import { agentNames } from './agent-names.ts'

test.each([20, 21])('shows the ids of %i agents if the key may not read agents', async (count) => {
  const { url } = await serve(() => ({ status: 403, body: { error: 'API key scope does not permit this operation' } }))
  const ids = Array.from({ length: count }, (_, index) => `0190a3c5-7e00-7000-8000-0000000000${index + 10}`)
  const nameOf = await agentNames(createClient({ url }), ids)
  expect(ids.map(nameOf)).toEqual(ids)
})
