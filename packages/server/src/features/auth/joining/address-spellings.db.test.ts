import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { apiClient } from '../../../testing/api-client.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { password, registration } from '../testing/people.ts'

const server = useTestServer()

it.each([
  ['münchen.example', 'xn--mnchen-3ya.example', 'mü'],
  ['उदाहरण.भारत', 'xn--p1b6ci4b4b3a.xn--h2brj9c', 'हरण.भा'],
  ['ตัวอย่าง.ไทย', 'xn--72c1a1bt4awk9o.xn--o3cw4h', 'ย่าง'],
])(
  'all spellings of an address at %s are one person, and people see what they wrote',
  async (domain, punycode, part) => {
    const api = apiClient(server.url)
    const name = `zoé-${randomUUID()}`
    const written = `${name}@${domain}`.normalize('NFD')
    const { status, body } = await api.post('/auth/register', registration(written))
    expect([status, body.user?.email]).toEqual([201, written])
    const others = [
      `${name}@${domain}`.normalize('NFC'),
      `${name}@${punycode}`,
      `${name.toUpperCase()}@${domain}`,
      written,
    ]
    for (const email of others) {
      expect((await api.post('/auth/register', registration(email))).status).toBe(409)
      expect((await api.post('/auth/sign-in', { email, password })).body.user).toMatchObject({ id: body.user.id })
    }
    const owner = apiClient(server.url, body.session.access_token)
    const invited = await owner.post(`/tenants/${body.tenant.id}/invite`, { email: others[1], role: 'member' })
    expect(invited.body.code).toBe('already_member')
    for (const search of [...others, domain, part, part.normalize('NFD'), punycode, name.toUpperCase()]) {
      const found = await owner.get(`/users?search=${encodeURIComponent(search)}`)
      expect(found.body.total, search).toBe(1)
    }
  },
)
