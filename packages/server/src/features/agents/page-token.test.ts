import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newId } from '../../db/new-id.ts'
import { agentBefore, pageTokenAfter } from './page-token.ts'

const [tenant, other] = [newId(), newId()]

describe('page tokens', () => {
  it('name the agent they were made after', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(agentBefore(tenant, pageTokenAfter(tenant, id))).toBe(id)
      }),
    )
  })

  it('400 for the token of another tenant', () => {
    expect(() => agentBefore(tenant, pageTokenAfter(other, newId()))).toThrow('page_token')
  })

  it('400 for a token with any one character changed, cut or added', () => {
    const token = pageTokenAfter(tenant, newId())
    for (let at = 0; at < token.length; at++) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
      expect(() => agentBefore(tenant, changed)).toThrow('page_token')
    }
    for (const damaged of ['', 'x', token.slice(1), token.slice(0, -1), `${token}A`, ` ${token}`, `${token}=`]) {
      expect(() => agentBefore(tenant, damaged)).toThrow('page_token')
    }
  })

  it('400 for any text that no list gave', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => agentBefore(tenant, text)).toThrow('page_token')
      }),
    )
  })
})
