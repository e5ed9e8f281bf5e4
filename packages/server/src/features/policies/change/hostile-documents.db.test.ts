import { contentHash } from '@mandate/proofs/canonical'
import { describe, expect, it } from 'vitest'
import { hostileValues, pathsInto, withValue } from '../../../sweeps/bad-values.ts'
import { useTenant, useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
const tenant = useTenant(server)

const example = {
  name: 'P',
  description: 'd',
  environment_id: null,
  override_mode: 'enforce',
  default_effect: 'allow',
  dlp_enabled: true,
  rules: [
    {
      name: 'R',
      priority: 7,
      enabled: true,
      effect: 'deny',
      match: { tools: ['mcp:a/*'], when: [{ path: 'args.a', op: 'in', value: ['x', 1.5] }] },
      reason: 'r',
    },
  ],
}

describe('a document with a hostile value in any field', () => {
  it('is refused with 400 or saved completely: the document that is read has the recorded hash', async () => {
    let saved = 0
    for (const path of pathsInto(example)) {
      for (const value of [...hostileValues, 1e21, 5e-324, -0, 0.1 + 0.2, 'é\u0301\u{10ffff}']) {
        const what = `${path.join('.')} = ${JSON.stringify(value)?.slice(0, 60)}`
        const { status, body } = await tenant.owner.api.post('/policies', withValue(example, path, value))
        expect([201, 400], what).toContain(status)
        if (status === 400) continue
        saved++
        const { body: version } = await tenant.owner.api.get(`/policies/${body.id}/versions/1`)
        expect(contentHash(version.snapshot), what).toBe(version.content_hash)
        const { body: read } = await tenant.owner.api.get(`/policies/${body.id}`)
        expect(read, what).toMatchObject(version.snapshot)
        // The next document has the same name.
        expect((await tenant.owner.api.delete(`/policies/${body.id}`)).status).toBe(204)
      }
    }
    expect(saved).toBeGreaterThan(50)
  })
})
