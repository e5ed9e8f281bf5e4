import { createClient } from '@mandate/sdk/client'
import { serve } from '@mandate/sdk/testing/serve'
import { expect, test } from 'vitest'
import { policyId } from './find-policy.ts'

const id = '0190a3c5-7e00-7000-8000-000000000010'

test.each([
  ['Re\u200dad \u00e9', 'Read \u00e9'],
  ['Read \u00e9', 'Read e\u0301'],
])(
  'finds the policy %j by the name %j, which looks the same but which the search does not find',
  async (name, named) => {
    const { url } = await serve(({ url }) => {
      const data = url.includes('search=') ? [] : [{ id, name, version: 1 }]
      return { status: 200, body: { data, total: data.length } }
    })
    expect(await policyId(createClient({ url }), named)).toBe(id)
  },
)
